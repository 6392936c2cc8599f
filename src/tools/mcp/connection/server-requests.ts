import { pathToFileURL } from "node:url";
import type { Client } from "@modelcontextprotocol/client";
import { linkSignals } from "#foundation/lifecycle/abort";
import type { Caller } from "../callers.ts";
import type { McpDeps } from "../deps.ts";
import type { Sampler } from "../sampling.ts";

export interface RequestAnswers {
  readonly deps: McpDeps;
  readonly sampler: Sampler | undefined;
  caller(): Caller | undefined;
  onListChanged(): void;
}

/** What a server may ask of us: the working folder, a completion, a question to the person. */
export function answerServerRequests(
  client: Client,
  server: string,
  { deps, sampler, caller, onListChanged }: RequestAnswers,
): void {
  client.setRequestHandler("roots/list", () => ({
    roots: [{ uri: pathToFileURL(caller()?.scope.cwd ?? deps.cwd).href, name: "working folder" }],
  }));
  if (sampler !== undefined) {
    client.setRequestHandler("sampling/createMessage", (request, context) =>
      sampler.answer(request.params, context.mcpReq.signal),
    );
  }
  client.setRequestHandler("elicitation/create", async (request, context) => {
    const { params } = request;
    const asking = caller();
    if (!("requestedSchema" in params) || asking === undefined) return { action: "decline" };
    const question = { server, message: params.message, schema: { ...params.requestedSchema } };
    const signal = linkSignals(context.mcpReq.signal, asking.signal);
    using _hold = asking.hold();
    const { fillForm } = await import("../elicit-form.ts");
    const answer = await fillForm(question, (text, choices) => asking.scope.prompter.question(text, choices, signal));
    return answer.kind === "accept" ? { action: "accept", content: { ...answer.content } } : { action: "decline" };
  });
  client.setNotificationHandler("notifications/tools/list_changed", () => onListChanged());
  client.setNotificationHandler("notifications/resources/list_changed", () => onListChanged());
  client.setNotificationHandler("notifications/prompts/list_changed", () => onListChanged());
}

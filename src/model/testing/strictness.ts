import { Issued } from "../../../test/fakes/model-server/issued.ts";
import { readRequest } from "../../../test/fakes/model-server/received-request.ts";
import { Inspector, type StrictOptions } from "../../../test/fakes/model-server/strict/index.ts";
import { prepareRequest } from "../prepare.ts";
import type { ModelRequest } from "../request.ts";

const wires = { chat_completions: "chat", anthropic_messages: "anthropic", codex_responses: "responses" } as const;

/** The first rule of a strict provider that a request breaks; undefined when it is accepted. */
export async function brokenRule(request: ModelRequest, options: StrictOptions = {}): Promise<string | undefined> {
  const { protocol } = request.target;
  if (protocol !== "chat_completions" && protocol !== "anthropic_messages" && protocol !== "codex_responses")
    throw new Error(`the strict server does not speak ${protocol}`);
  const { wire, url, headers } = await prepareRequest(request);
  const received = readRequest({
    number: 1,
    protocol: wires[protocol],
    url,
    headers,
    rawBytes: Buffer.from(wire.body),
    isTooLarge: false,
    receivedAt: 0,
  });
  const found = new Inspector(options).inspect({
    request: received,
    body: received.body,
    issued: new Issued(),
    extraFields: options.extraFields ?? [],
    extraMessageFields: options.extraMessageFields ?? [],
    promptTokens: 0,
  });
  return found === undefined ? undefined : `${found.rule.id}: ${found.complaint.message}`;
}

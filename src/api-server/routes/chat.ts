import { randomBytes } from "node:crypto";
import type { TurnResult } from "#conversation";
import { isRelayed, type SessionListener, toWire, wireVersion } from "#session";
import type { ApiContext } from "../api-context.ts";
import { ApiError, badRequest } from "../api-error.ts";
import { type Caller, mayDo } from "../callers.ts";
import { type Body, fingerprint, optionalFlag, optionalText, readBody } from "../request/body.ts";
import { readMessages } from "../request/conversation.ts";
import { derivedSessionId } from "../session-ids.ts";
import { modelFor } from "../settings.ts";
import { sseResponse } from "../streams/sse.ts";
import { textStreamer } from "../streams/text-streamer.ts";
import type { TurnRequest } from "../turns.ts";
import { chatUsage } from "../usage.ts";

/** What happens beside the answer, in the wire form; the other Hermes asks for it by version. */
const workEvent = "hermes.event";

interface ChatCall {
  readonly turn: TurnRequest;
  readonly model: string;
  readonly id: string;
  readonly created: number;
  readonly session: string;
  /** The caller is another Hermes and shows the work, too. */
  readonly tellsWork: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** `POST /v1/chat/completions`. */
export async function chatCompletions(request: Request, caller: Caller, context: ApiContext): Promise<Response> {
  const body = await readBody(request);
  const call = readCall(request, body, { caller, context });
  if (optionalFlag(body, "stream") === true) return streamed(call, context);
  const print = fingerprint(body, ["model", "messages", "tools", "tool_choice", "stream"]);
  const key = request.headers.get("idempotency-key");
  const {
    status,
    body: answer,
    headers,
  } = await context.idempotency.once({ caller, key, fingerprint: print }, async () => ({
    status: 200,
    body: completion(call, answered(await context.turns.run(call.turn, () => undefined, request.signal), context)),
    headers: call.headers,
  }));
  return Response.json(answer, { status, headers });
}

function readCall(
  request: Request,
  body: Body,
  { caller, context }: { readonly caller: Caller; readonly context: ApiContext },
): ChatCall {
  const { settings } = context;
  const { system, history, input, firstUserText } = readMessages(body["messages"], "messages");
  const model = optionalText(body, "model", 200) ?? settings.modelName;
  const sent = sessionHeader(request, context);
  const id = sent ?? derivedSessionId(system, firstUserText);
  const tellsWork = sent !== undefined && request.headers.get("x-hermes-events") === String(wireVersion);
  return {
    turn: {
      caller,
      system,
      history,
      input,
      named: { id, resumes: sent !== undefined },
      model: modelFor(settings, model),
      asks: tellsWork && optionalFlag(body, "stream") === true && mayDo(caller, "approvals"),
    },
    session: id,
    tellsWork,
    model,
    id: `chatcmpl-${randomBytes(15).toString("hex").slice(0, 29)}`,
    created: Math.floor(context.clock.now() / 1000),
    headers: { "x-hermes-session-id": id },
  };
}

/** A session that the client names; only those who have a key may take up stored conversations. */
function sessionHeader({ headers }: Request, { settings }: ApiContext): string | undefined {
  const id = headers.get("x-hermes-session-id");
  if (id === null || id === "") return undefined;
  if (settings.keys.length === 0)
    throw new ApiError(403, "Naming a session needs a configured API key.", { code: "session_needs_key" });
  if (!/^[\x21-\x7e]{1,200}$/.test(id))
    throw badRequest("X-Hermes-Session-Id is not a name.", { code: "invalid_session_id" });
  return id;
}

function completion({ id, created, model }: ChatCall, result: TurnResult) {
  const message = { role: "assistant", content: result.text ?? "", refusal: null };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finishReason(result) }];
  return { id, object: "chat.completion", created, model, choices, usage: chatUsage(result) };
}

/** The result of a turn that gave an answer; a failed one is an error of the server. */
export function answered(result: TurnResult, { redact }: Pick<ApiContext, "redact">): TurnResult {
  if (!result.failed && !(result.interrupted && (result.text ?? "") === "")) return result;
  const status = result.exitReason === "rate_limited" ? 429 : 500;
  throw new ApiError(status, redact(result.error ?? "The turn was interrupted."), { code: result.errorClass ?? null });
}

function finishReason({ exitReason }: TurnResult): "stop" | "length" {
  return exitReason === "length_truncated" || exitReason === "max_iterations_reached" ? "length" : "stop";
}

function streamed(call: ChatCall, context: ApiContext): Response {
  const { id, created, model, headers } = call;
  const chunk = (delta: object, finish: string | null = null, more: object = {}) => ({
    id,
    object: "chat.completion.chunk",
    created,
    model,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...more,
  });
  return sseResponse(
    async (out) => {
      out.data(chunk({ role: "assistant", content: "" }));
      const text = textStreamer((piece) => out.data(chunk({ content: piece })));
      const listen: SessionListener = (event, seq) => {
        text.take(event);
        if (call.tellsWork && isRelayed(event))
          out.data(toWire(event, { sessionId: call.session, seq, atMs: context.clock.now() }), { event: workEvent });
        if (event.type === "tool-start" && !event.name.startsWith("_"))
          out.data({ tool: event.name, emoji: "⚙", label: event.preview }, { event: "hermes.tool.progress" });
      };
      try {
        const result = answered(await context.turns.run(call.turn, listen, out.signal), context);
        text.finish(result.text ?? "");
        out.data(chunk({}, finishReason(result), { usage: chatUsage(result) }));
      } catch (error) {
        out.data(errorBody(error, context));
      }
      out.raw("data: [DONE]\n\n");
    },
    { headers, keepAliveMs: context.keepAliveMs, clock: context.clock },
  );
}

/** What a client is told of an error in a stream; what is not meant for it goes to the log. */
function errorBody(error: unknown, { logger }: Pick<ApiContext, "logger">): ApiError["body"] {
  if (error instanceof ApiError) return error.body;
  logger.error("an API request failed", { error: String(error) });
  return new ApiError(500, "Internal error.", { code: "internal_error" }).body;
}

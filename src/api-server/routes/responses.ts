import { randomBytes } from "node:crypto";
import { assistantMessage, type Message, type TurnResult, userMessage } from "#conversation";
import type { ApiContext } from "../api-context.ts";
import { ApiError, badRequest } from "../api-error.ts";
import type { Caller } from "../callers.ts";
import { type Body, fingerprint, optionalFlag, optionalText, readBody } from "../request/body.ts";
import { readMessages } from "../request/conversation.ts";
import { type KeptResponse, ResponseStore } from "../response-store.ts";
import { modelFor } from "../settings.ts";
import { ResponseBuilder, type ResponseFacts, type ResponseObject } from "../streams/response-builder.ts";
import { type SseWriter, sseResponse } from "../streams/sse.ts";
import type { TurnRequest } from "../turns.ts";
import { answered } from "./chat.ts";

interface ResponseCall {
  readonly turn: TurnRequest;
  readonly facts: ResponseFacts;
  readonly conversation: string | null;
  readonly store: ResponseStore;
}

const mostHistory = 100;

/** `POST /v1/responses`. */
export async function createResponse(request: Request, caller: Caller, context: ApiContext): Promise<Response> {
  const body = await readBody(request);
  const call = await readCall(body, caller, context);
  if (optionalFlag(body, "stream") === true)
    return sseResponse((out) => stream(call, context, out), { keepAliveMs: context.keepAliveMs, clock: context.clock });
  const print = fingerprint(body, ["input", "instructions", "previous_response_id", "conversation", "model", "tools"]);
  const key = request.headers.get("idempotency-key");
  const { status, body: answer } = await context.idempotency.once({ caller, key, fingerprint: print }, async () => {
    const builder = new ResponseBuilder(call.facts, () => undefined);
    const response = await respond(call, { context, builder }, request.signal);
    if (response.status !== "failed") return { status: 200, body: response, headers: {} };
    throw new ApiError(500, (response["error"] as { message: string }).message, { code: "server_error" });
  });
  return Response.json(answer, { status });
}

export async function getResponse(id: string, caller: Caller, context: ApiContext): Promise<Response> {
  const kept = await storeOf(context).get(id, caller);
  if (kept === undefined) throw notFound(id);
  return Response.json(kept.response);
}

export async function deleteResponse(id: string, caller: Caller, context: ApiContext): Promise<Response> {
  if (!(await storeOf(context).remove(id, caller))) throw notFound(id);
  return Response.json({ id, object: "response", deleted: true });
}

/** What an earlier response, a named conversation or the client itself says was before. */
export async function earlierOf(
  body: Body,
  caller: Caller,
  context: ApiContext,
): Promise<Pick<KeptResponse, "messages" | "instructions"> & { readonly previousId: string | null }> {
  const previousId = optionalText(body, "previous_response_id", 200) ?? null;
  const conversation = conversationOf(body);
  if (previousId !== null && conversation !== null)
    throw badRequest("previous_response_id and conversation cannot be used together.", {
      param: "conversation",
      code: "invalid_request",
    });
  const past = body["conversation_history"];
  const store = storeOf(context);
  const previous = previousId === null ? undefined : await store.get(previousId, caller);
  if (previousId !== null && previous === undefined && past === undefined) throw notFound(previousId);
  const kept = previous ?? (conversation === null ? undefined : await store.newestOf(conversation, caller));
  const instructions = kept?.instructions ?? null;
  if (past === undefined || past === null) return { messages: kept?.messages ?? [], instructions, previousId };
  return { messages: historyOf(past), instructions, previousId };
}

function historyOf(past: unknown): readonly Message[] {
  if (!Array.isArray(past))
    throw badRequest("conversation_history must be a list.", { param: "conversation_history", code: "invalid_type" });
  if (past.length === 0) return [];
  // The last message of the user would be the input: one more stands behind it here.
  const { history, input } = readMessages([...past, { role: "user", content: "." }], "conversation_history");
  const isUnanswered = input.text !== ".";
  return isUnanswered ? [...history, userMessage(input.text.replace(/\n\n\.$/, "")), assistantMessage("…")] : history;
}

async function readCall(body: Body, caller: Caller, context: ApiContext): Promise<ResponseCall> {
  const { settings } = context;
  const { input } = body;
  if (input === undefined || input === null)
    throw badRequest("input is missing.", { param: "input", code: "missing_input" });
  const spoken = readMessages(typeof input === "string" ? [{ role: "user", content: input }] : input, "input");
  const earlier = await earlierOf(body, caller, context);
  const truncation = optionalText(body, "truncation", 20);
  const before = truncation === "auto" ? lastOf(earlier.messages) : earlier.messages;
  const model = optionalText(body, "model", 200) ?? settings.modelName;
  const instructions = optionalText(body, "instructions") ?? earlier.instructions;
  const system = [instructions ?? "", spoken.system].filter((text) => text !== "").join("\n\n");
  return {
    turn: {
      caller,
      system,
      history: [...before, ...spoken.history],
      input: spoken.input,
      model: modelFor(settings, model),
    },
    facts: {
      id: `resp_${randomBytes(14).toString("hex")}`,
      createdAt: Math.floor(context.clock.now() / 1000),
      model,
      instructions,
      previousId: earlier.previousId,
      isStored: optionalFlag(body, "store") ?? true,
    },
    conversation: conversationOf(body),
    store: storeOf(context),
  };
}

function conversationOf(body: Body): string | null {
  const { conversation } = body;
  if (typeof conversation === "object" && conversation !== null && "id" in conversation)
    return optionalText(conversation as Body, "id", 200) ?? null;
  return optionalText(body, "conversation", 200) ?? null;
}

/** The newest part of a long conversation; it begins with the person. */
function lastOf(messages: readonly Message[]): readonly Message[] {
  const cut = messages.slice(-mostHistory);
  const first = cut.findIndex(({ role }) => role === "user");
  return first === -1 ? [] : cut.slice(first);
}

async function stream(call: ResponseCall, context: ApiContext, out: SseWriter): Promise<void> {
  let sequence = 0;
  const builder = new ResponseBuilder(call.facts, (type, fields) => {
    out.data({ type, sequence_number: sequence, ...fields }, { event: type });
    sequence += 1;
  });
  await respond(call, { context, builder }, out.signal);
}

/** Runs the turn. Whatever becomes of it is stored, so that it can be fetched and gone on from. */
async function respond(
  call: ResponseCall,
  { context, builder }: { readonly context: ApiContext; readonly builder: ResponseBuilder },
  signal: AbortSignal,
): Promise<ResponseObject> {
  const keep = async (response: ResponseObject, messages: readonly Message[]): Promise<ResponseObject> => {
    const { facts, conversation, turn, store } = call;
    const kept = { response, messages, instructions: facts.instructions, owner: turn.caller.name, conversation };
    if (facts.isStored) await store.put(kept, turn.caller);
    return response;
  };
  await keep(builder.begin(), call.turn.history);
  try {
    const result = await context.turns.run(call.turn, (event) => builder.take(event), signal);
    if (signal.aborted) return await keep(builder.cutOff(), cutOffHistory(call.turn, builder.text));
    return await keep(builder.complete(answered(result, context)), historyAfter(result, call.turn));
  } catch (error) {
    const message = error instanceof ApiError ? error.message : "Internal error.";
    if (!(error instanceof ApiError)) context.logger.error("an API request failed", { error: String(error) });
    return await keep(builder.fail(message), cutOffHistory(call.turn, builder.text));
  }
}

/** The conversation as it stands; one that does not end with an answer is not gone on from. */
function historyAfter(result: TurnResult, turn: TurnRequest): readonly Message[] {
  const { messages } = result;
  return messages.at(-1)?.role === "assistant" ? messages : cutOffHistory(turn, result.text ?? "");
}

function cutOffHistory({ history, input }: TurnRequest, text: string): readonly Message[] {
  return [...history, userMessage(input.text), assistantMessage(text === "" ? "(no answer)" : text)];
}

function storeOf({ store, settings }: ApiContext): ResponseStore {
  return new ResponseStore(store, settings.maxStoredResponses);
}

function notFound(id: string): ApiError {
  return new ApiError(404, `There is no response ${id.slice(0, 100)}.`, { code: "response_not_found" });
}

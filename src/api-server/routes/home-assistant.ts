import { randomUUID } from "node:crypto";
import { defined } from "#foundation/defined";
import { describe } from "#foundation/errors";
import type { ApiContext } from "../api-context.ts";
import { ApiError, badRequest } from "../api-error.ts";
import type { Caller } from "../callers.ts";
import { optionalText, readBody } from "../request/body.ts";
import type { TurnRequest } from "../turns.ts";
import { answered } from "./chat.ts";

/** Voice assistants give up after half a minute; before that somebody has to say something. */
const softLimitMs = 25_000;
const stillWorking = "I am still working on it. The answer will come as a notification.";
const notifications = "homeassistant:ha_events";

interface Spoken {
  readonly text: string;
  readonly isError: boolean;
}

/** `POST /api/homeassistant/conversation`: what somebody said to Home Assistant, answered in the words it speaks. */
export async function homeAssistantConversation(
  request: Request,
  caller: Caller,
  { context, signal }: { readonly context: ApiContext; readonly signal: AbortSignal },
): Promise<Response> {
  const body = await readBody(request);
  const text = optionalText(body, "text")?.trim() ?? "";
  if (text === "") throw badRequest("text is missing.", { param: "text", code: "missing_text" });
  if (context.settings.keys.length === 0)
    throw new ApiError(403, "A conversation needs a configured API key.", { code: "session_needs_key" });
  const conversationId = optionalText(body, "conversation_id", 200) || randomUUID();
  const person = optionalText(body, "user_id", 200) || conversationId;
  const turn: TurnRequest = {
    caller,
    system: "Your answer is spoken aloud by Home Assistant: one to three short sentences, without markup.",
    history: [],
    input: { text, images: [] },
    named: { id: `agent:main:homeassistant:dm:${person}`, resumes: true },
  };
  const work = speak(turn, context, signal);
  const soon = new AbortController();
  const first = await Promise.race([work, context.clock.sleep(softLimitMs, soon.signal).catch(() => undefined)]);
  soon.abort();
  if (first === undefined) void work.then((late) => notify(late, conversationId, context));
  const { text: speech, isError } = first ?? { text: stillWorking, isError: false };
  const language = optionalText(body, "language", 40);
  return Response.json({
    conversation_id: conversationId,
    response: {
      speech: { plain: { speech, extra_data: null } },
      card: {},
      ...defined({ language }),
      response_type: isError ? "error" : "action_done",
      data: isError ? { code: "unknown" } : { targets: [], success: [], failed: [] },
    },
  });
}

/** The turn to its end, also when nobody waits for it any more. Never rejects. */
async function speak(turn: TurnRequest, context: ApiContext, signal: AbortSignal): Promise<Spoken> {
  try {
    await using running = await context.turns.start(turn, () => undefined, signal);
    const { text } = answered(await running.ended, context);
    return { text: text ?? "", isError: false };
  } catch (error) {
    if (!(error instanceof ApiError)) context.logger.error("a spoken request failed", { error: describe(error) });
    return { text: error instanceof ApiError ? error.message : "Something went wrong.", isError: true };
  }
}

async function notify({ text }: Spoken, conversationId: string, context: ApiContext): Promise<void> {
  const { deliverer, store, logger } = context;
  try {
    const key = `homeassistant:${conversationId}:${randomUUID()}`;
    const rows = await deliverer?.rows({ word: notifications, origin: undefined }, { text, key });
    if (rows === undefined || typeof rows === "string")
      logger.warn("a late answer has nowhere to go", { reason: rows ?? "the gateway does not run here" });
    else await store.outbox.owe(rows);
  } catch (error) {
    logger.error("a late answer could not be delivered", { error: describe(error) });
  }
}

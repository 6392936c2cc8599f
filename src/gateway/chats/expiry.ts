import { isRecord } from "#foundation/text/json";
import { type ResetPolicy, resetDue } from "#session";
import type { Route, Store } from "#store";
import type { ChatType, InboundMessage, MessageSource } from "../platform/inbound.ts";

/** More rest than that and a conversation ends when somebody writes again. */
const mostRoutes = 5_000;

/**
 * Conversations that have rested long enough are ended while nobody waits: what is worth keeping is remembered then, and
 * the next message does not wait for it. Each is ended by whoever serves its chat, once, however often this is asked for.
 */
export async function expireChats({
  store,
  resetPolicy,
  nowMs,
}: {
  readonly store: Pick<Store, "inbox" | "routes">;
  resetPolicy(source: MessageSource): ResetPolicy;
  readonly nowMs: number;
}): Promise<void> {
  for (const route of await store.routes.list({ limit: mostRoutes })) {
    const source = sourceOf(route);
    const times = { lastActiveMs: route.updatedAtMs, nowMs };
    if (hasExpired(route) || resetDue(resetPolicy(source), times) === undefined) continue;
    const { sessionKey, sessionId, platform } = route;
    await store.inbox.admit({
      dedupKey: `expire:${sessionKey}:${sessionId}:${route.updatedAtMs}`,
      platform,
      account: source.account,
      sessionKey,
      kind: "control",
      event: { control: "expire" },
      wakes: true,
    });
  }
}

export function isExpiry(event: unknown): boolean {
  return isRecord(event) && event["control"] === "expire";
}

/** It was ended already, and the next message is the first of a new one. */
export function hasExpired({ details }: Pick<Route, "details">): boolean {
  return details["expired"] === true;
}

/** Somebody of the chat, for what is done in it without a message. */
export function nobodys(route: Route): InboundMessage {
  return { source: sourceOf(route), text: "", dedupKey: `expire:${route.sessionKey}`, atMs: 0, attachments: [] };
}

function sourceOf({ platform, chatId = "", chatType, threadId, userId, details }: Route): MessageSource {
  const account = typeof details["account"] === "string" ? details["account"] : "";
  return { platform, account, chatId, chatType: chatType as ChatType, threadId, userId };
}

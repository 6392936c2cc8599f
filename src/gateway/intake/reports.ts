import type { SessionId } from "#conversation";
import type { Clock } from "#foundation/time/clock";
import type { Store } from "#store";
import type { ChatType, InboundMessage } from "../platform/inbound.ts";

/** What a program that a conversation started in the background says, when that conversation is not open. */
export interface ProcessReport {
  /** Of the session that started it. */
  readonly sessionKey: string;
  readonly processId: string;
  readonly text: string;
}

/** Takes it in as a message that nobody wrote; false when no chat is in that conversation. */
export async function admitReport(
  { sessionKey: root, processId, text }: ProcessReport,
  { store, clock }: { readonly store: Pick<Store, "inbox" | "routes" | "sessions">; readonly clock: Clock },
): Promise<boolean> {
  const sessionId = (await store.sessions.resumeTarget(root as SessionId)) ?? (root as SessionId);
  const route = await store.routes.bySession(sessionId);
  if (route === undefined) return false;
  const { sessionKey, platform, chatId = "", chatType, threadId, userId, details } = route;
  const account = typeof details["account"] === "string" ? details["account"] : "";
  const nowMs = clock.now();
  const message: InboundMessage = {
    source: { platform, account, chatId, chatType: chatType as ChatType, threadId, userId },
    text,
    dedupKey: `process:${processId}:${nowMs}`,
    atMs: nowMs,
    attachments: [],
    untrusted: "the output of a background process",
    isInternal: true,
  };
  const entry = { dedupKey: message.dedupKey, platform, account, sessionKey, kind: "message", event: message } as const;
  await store.inbox.admit({ ...entry, wakes: true });
  return true;
}

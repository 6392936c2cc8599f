import type { Logger } from "#foundation/files/logger";
import type { Submission } from "#session";
import type { GatewayTurn, InboxEntry, Store } from "#store";
import { closeAsk, readAsk } from "../asks/ask-rows.ts";
import { showOutcome } from "../asks/chat-asks.ts";
import { mostAttempts } from "../crashes/blame.ts";
import type { InboundMessage } from "../platform/inbound.ts";
import type { Platform } from "../platform/platform.ts";
import type { ChatSession } from "./chat-session.ts";
import { readInbound } from "./read-inbound.ts";

export interface RecoveryDeps {
  readonly store: Store;
  readonly session: Pick<ChatSession, "continueTurn">;
  platform(id: string): Platform | undefined;
  say(message: InboundMessage, text: string, key: string): Promise<void>;
  readonly logger: Logger;
}

/** What remains of messages that may be tried, once the others have been given up. */
export async function withoutSpent(rows: readonly InboxEntry[], deps: RecoveryDeps): Promise<readonly InboxEntry[]> {
  const spent = rows.filter(({ attempts }) => attempts >= mostAttempts);
  for (const { id, sessionKey } of spent) {
    deps.logger.error("a message ended the program again and again and is given up", { id, sessionKey });
    await deps.store.inbox.bury([id]);
    await apologise([id], `dead:${id}`, deps);
  }
  return spent.length === 0 ? rows : rows.filter((row) => !spent.includes(row));
}

/**
 * What a program that ended left in a chat. Words it had taken and not stored wait again; a turn it had begun goes on
 * with what is stored of it. What ended the program again and again is given up, and the person is told once.
 */
export async function recoverChat(
  sessionKey: string,
  deps: RecoveryDeps,
): Promise<{ readonly submission: Submission; readonly message: InboundMessage; readonly key: string } | undefined> {
  const { store } = deps;
  for (const turnId of await store.inbox.claimedBy(sessionKey)) await store.inbox.release(turnId);
  const turns = await store.gatewayTurns.unfinished(sessionKey);
  const newest = turns.at(-1);
  for (const turn of turns) if (turn !== newest) await store.gatewayTurns.finish(turn.id, "abandoned");
  return newest === undefined ? undefined : await goOn(newest, deps);
}

async function goOn(turn: GatewayTurn, deps: RecoveryDeps) {
  const { store, logger, session } = deps;
  await closeLostAsk(turn, deps);
  const row = await newestOf(turn.inboxIds, store);
  const message = row === undefined ? undefined : readInbound(row.event);
  const isSpent = row !== undefined && row.attempts >= mostAttempts;
  if (message === undefined || deps.platform(message.source.platform) === undefined || isSpent) {
    logger.error("a turn is given up", { turn: turn.id, attempts: row?.attempts });
    await store.transaction(async (tx) => {
      await tx.gatewayTurns.finish(turn.id, "abandoned");
      await tx.inbox.bury(turn.inboxIds);
    });
    await apologise(turn.inboxIds, `dead:${turn.id}`, deps);
    return undefined;
  }
  const attempts = turn.attempts + 1;
  await store.gatewayTurns.progress(turn.id, { attempts, status: "running" });
  logger.info("a turn that was cut off goes on", { turn: turn.id, attempts });
  const submission = await session.continueTurn({ ...turn, attempts }, message);
  if (submission !== undefined) return { submission, message, key: `continued:${turn.id}` };
  await store.gatewayTurns.finish(turn.id, "abandoned");
  return undefined;
}

/** Nobody waits for that answer any more; the model is told that the call has no result. */
async function closeLostAsk({ step, status }: GatewayTurn, { store, platform }: RecoveryDeps): Promise<void> {
  const [, askId] = /(?:^|;)ask:([\w-]+)/u.exec(step) ?? [];
  if (status !== "awaiting" || askId === undefined) return;
  const ask = await readAsk(store, askId);
  const where = ask === undefined ? undefined : platform(ask.to.platform);
  if (ask === undefined || where === undefined || !(await closeAsk(store, ask))) return;
  await showOutcome(ask, { outcome: "*This question was lost in a restart.*", platform: where, store });
}

async function apologise(inboxIds: readonly number[], key: string, deps: RecoveryDeps): Promise<void> {
  const row = await newestOf(inboxIds, deps.store);
  const message = row === undefined ? undefined : readInbound(row.event);
  if (message === undefined) return;
  const reference = inboxIds.join(", ");
  await deps.say(
    message,
    `Sorry, this message could not be answered: the program stopped each time I worked on it (reference ${reference}). Try rephrasing it; whoever runs me can have it tried again.`,
    key,
  );
}

async function newestOf(inboxIds: readonly number[], store: Store): Promise<InboxEntry | undefined> {
  const id = inboxIds.at(-1);
  return id === undefined ? undefined : await store.inbox.get(id);
}

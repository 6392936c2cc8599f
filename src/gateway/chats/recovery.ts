import type { Logger } from "#foundation/files/logger";
import type { Submission } from "#session";
import type { GatewayTurn, Store } from "#store";
import { closeAsk, readAsk } from "../asks/ask-rows.ts";
import { showOutcome } from "../asks/chat-asks.ts";
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

const maxAttempts = 3;

/**
 * What a program that died left in a chat. Words it had taken and not stored wait again; a turn it had begun goes on
 * with what is stored of it. What ended the program again and again is given up, and the person is told once.
 */
export async function recoverChat(
  sessionKey: string,
  deps: RecoveryDeps,
): Promise<{ readonly submission: Submission; readonly message: InboundMessage; readonly key: string } | undefined> {
  const { store, logger } = deps;
  for (const turnId of await store.inbox.claimedBy(sessionKey)) {
    const { dead } = await store.inbox.release(turnId, { maxAttempts });
    for (const id of dead) {
      logger.error("a message ended the program again and again and is given up", { id, sessionKey });
      await apologise([id], `dead:${id}`, deps);
    }
  }
  const turns = await store.gatewayTurns.unfinished(sessionKey);
  const newest = turns.at(-1);
  for (const turn of turns) if (turn !== newest) await store.gatewayTurns.finish(turn.id, "abandoned");
  return newest === undefined ? undefined : await goOn(newest, deps);
}

async function goOn(turn: GatewayTurn, deps: RecoveryDeps) {
  const { store, logger, session } = deps;
  await closeLostAsk(turn, deps);
  const message = await messageOf(turn.inboxIds, store);
  if (
    message === undefined ||
    deps.platform(message.source.platform) === undefined ||
    turn.attempts >= maxAttempts - 1
  ) {
    logger.error("a turn is given up", { turn: turn.id, attempts: turn.attempts });
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
  const message = await messageOf(inboxIds, deps.store);
  if (message === undefined) return;
  const reference = inboxIds.join(", ");
  await deps.say(
    message,
    `I am sorry: this message could not be answered, it failed ${maxAttempts} times (reference ${reference}).`,
    key,
  );
}

async function messageOf(inboxIds: readonly number[], store: Store): Promise<InboundMessage | undefined> {
  const id = inboxIds.at(-1);
  const row = id === undefined ? undefined : await store.inbox.get(id);
  return row === undefined ? undefined : readInbound(row.event);
}

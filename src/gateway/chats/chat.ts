import { type SessionId, type TurnResult, textOf } from "#conversation";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { Deferred } from "#foundation/lifecycle/deferred";
import type { Clock } from "#foundation/time/clock";
import type { Alongside, OpenSession, SessionService, Submission } from "#session";
import { type InboxEntry, type Store, takeLease } from "#store";
import type { Access } from "../access/authorize.ts";
import { owedTexts } from "../delivery/owed.ts";
import type { InboundMessage, MessageSource } from "../platform/inbound.ts";
import type { Platform } from "../platform/platform.ts";
import type { WakeUps } from "../wake-ups.ts";
import { readInbound } from "./read-inbound.ts";
import { viewText } from "./view-text.ts";

export interface ChatDeps {
  readonly store: Store;
  readonly sessions: Pick<SessionService, "borrow">;
  readonly wakeUps: Pick<WakeUps, "account">;
  platform(id: string): Platform | undefined;
  /** Whether this person may use Hermes here. */
  access(source: MessageSource): Access;
  /** Names this program in leases. */
  readonly owner: string;
  /** The folder sessions work in. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

const rowsAtOnce = 50;
const maxAttempts = 3;

/**
 * One conversation while something happens in it. Serves the rows of its inbox in order, alone among all programs on
 * the store, and leaves when nothing waits and no turn runs; its session stays warm for the next time.
 *
 * 1. What a person wrote leaves the inbox in the transaction that stores the message.
 * 2. The answer is owed to the chat in the transaction that stores its last words.
 * 3. A command is over with before it runs, so that no crash runs it twice.
 */
export class Chat {
  readonly #deps: ChatDeps;
  readonly #key: string;
  readonly #inHand = new Set<number>();
  #session: OpenSession | undefined;
  #newest: InboundMessage | undefined;
  #running = 0;
  #poke = new Deferred<void>();

  constructor(sessionKey: string, deps: ChatDeps) {
    this.#key = sessionKey;
    this.#deps = deps;
  }

  /** Something new may wait. */
  poke(): void {
    this.#poke.resolve();
  }

  /** Until nothing is left to do, or another program has the chat. */
  async run(signal: AbortSignal): Promise<void> {
    const { store } = this.#deps;
    const lost = new AbortController();
    const lease = await takeLease(this.#deps, `chat:${this.#key}`, () => lost.abort());
    if (lease.kind === "busy") return;
    await using held = lease;
    if (held.fence === undefined) return;
    try {
      await this.#giveBackLost();
      while (!signal.aborted && !lost.signal.aborted) {
        this.#poke = new Deferred<void>();
        const waiting = await store.inbox.pending(this.#key, { limit: rowsAtOnce + this.#inHand.size });
        const rows = waiting.filter(({ id }) => !this.#inHand.has(id));
        for (const row of rows) await this.#handle(row);
        if (rows.length > 0) continue;
        if (this.#running === 0) return;
        await this.#poke.promise;
      }
    } finally {
      await this.#session?.[Symbol.asyncDispose]();
    }
  }

  /** Stops the turn that runs, for the end of the program. */
  interrupt(): void {
    this.#session?.interrupt();
  }

  /** Rows that a program had taken for a turn and died; with no attempts left they are dead. */
  async #giveBackLost(): Promise<void> {
    const { store } = this.#deps;
    const claimed = await store.inbox.claimedBy(this.#key);
    for (const turnId of claimed) await store.inbox.release(turnId, { maxAttempts });
  }

  async #handle(row: InboxEntry): Promise<void> {
    const { store, logger } = this.#deps;
    this.#inHand.add(row.id);
    const message = readInbound(row.event);
    if (message === undefined || this.#deps.platform(message.source.platform) === undefined) {
      logger.error("a message that cannot be read was dropped", { id: row.id, platform: row.platform });
      await store.inbox.finish([row.id], "dropped");
      return;
    }
    if (message.isInternal !== true && this.#deps.access(message.source).kind === "denied") {
      const { platform, userId } = message.source;
      logger.warn("a message of somebody who may not use Hermes was dropped", { platform, userId });
      await store.inbox.finish([row.id], "dropped");
      return;
    }
    try {
      this.#newest = message;
      await this.#answer(await this.#submit(message, row), row);
    } catch (error) {
      logger.error("a message could not be handled", { id: row.id, error: describe(error) });
      await store.inbox.finish([row.id], "done");
      await this.#say(`${describe(error)}`, `row:${row.id}`);
    }
  }

  /** A session that another program took over meanwhile is borrowed anew: it goes on from what is stored. */
  async #submit(message: InboundMessage, row: InboxEntry): Promise<Submission> {
    const input = { text: message.text, admission: { inboxIds: [row.id] } };
    const session = await this.#open(message);
    const submission = await session.submit(input);
    if (submission.kind !== "refused" || submission.isLost !== true) return submission;
    this.#session = undefined;
    await session[Symbol.asyncDispose]();
    return await (await this.#open(message)).submit(input);
  }

  async #open({ source }: InboundMessage): Promise<OpenSession> {
    if (this.#session !== undefined) return this.#session;
    const route = await this.#deps.store.routes.get(this.#key);
    this.#session = await this.#deps.sessions.borrow({
      key: this.#key,
      resume: route?.sessionId,
      source: source.platform,
      userId: source.userId,
      cwd: this.#deps.cwd,
      isInteractive: true,
      isFenced: true,
      alongside: this.#alongside,
    });
    return this.#session;
  }

  async #answer(submission: Submission, row: InboxEntry): Promise<void> {
    if (submission.kind === "turn") this.#follow(submission.ended, row);
    else if (submission.kind === "refused") await this.#say(submission.message, `row:${row.id}`);
    else if (submission.kind === "command") {
      const { view } = submission;
      if (view.kind === "turn") this.#follow(view.ended, row);
      else await this.#say(viewText(view), `row:${row.id}`);
    }
  }

  #follow(ended: Promise<TurnResult>, row: InboxEntry): void {
    this.#running += 1;
    void this.#afterTurn(ended, row).finally(() => {
      this.#running -= 1;
      this.poke();
    });
  }

  async #afterTurn(ended: Promise<TurnResult>, row: InboxEntry): Promise<void> {
    const { wakeUps, logger } = this.#deps;
    try {
      const result = await ended;
      if (result.failed && result.error !== undefined) await this.#say(result.error, `row:${row.id}`);
      const to = this.#newest?.source;
      if (to !== undefined) wakeUps.account(to.platform, to.account);
    } catch (error) {
      logger.error("the end of a turn could not be told", { error: describe(error) });
    }
  }

  /** In the transaction that stores the last words of a turn: they are owed, and the chat is in this session. */
  readonly #alongside: Alongside = async (tx, { sessionId, turnId, messages, isFinal }) => {
    await this.#route(tx, sessionId);
    const last = messages.at(-1);
    if (!isFinal || last === undefined) return;
    const rows = this.#owed(textOf(last.content), `${turnId}:${last.uid ?? ""}`);
    await tx.outbox.owe(rows);
  };

  async #route(tx: Pick<Store, "routes">, sessionId: SessionId): Promise<void> {
    const source = this.#newest?.source;
    const known = await tx.routes.get(this.#key);
    if (source === undefined || known?.sessionId === sessionId) return;
    const nowMs = this.#deps.clock.now();
    const { platform, chatType, chatId, threadId, userId } = source;
    await tx.routes.put({
      sessionKey: this.#key,
      sessionId,
      platform,
      chatType,
      chatId,
      threadId,
      userId,
      createdAtMs: known?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
      details: known?.details ?? {},
    });
  }

  /** Words of Hermes itself, outside of the conversation. */
  async #say(text: string, key: string): Promise<void> {
    const { store, wakeUps } = this.#deps;
    const source = this.#newest?.source;
    if (source === undefined || text === "") return;
    await store.outbox.owe(this.#owed(text, key));
    wakeUps.account(source.platform, source.account);
  }

  #owed(markdown: string, key: string) {
    const message = this.#newest;
    const platform = message === undefined ? undefined : this.#deps.platform(message.source.platform);
    if (message === undefined || platform === undefined || markdown.trim() === "") return [];
    const { account, chatId, threadId } = message.source;
    const to = { platform: platform.id, account, chatId, threadId };
    return owedTexts(platform.render(markdown), { to, sessionKey: this.#key, key }, { replyTo: message.messageId });
  }
}

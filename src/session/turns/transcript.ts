import type { Transcript } from "#agent";
import { callsOf, type Message, type SessionId, type TurnId } from "#conversation";
import { defined } from "#foundation/defined";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { Mutex } from "#foundation/lifecycle/mutex";
import type { Clock } from "#foundation/time/clock";
import { type Aggregates, type Fence, LeaseLostError, type NewSession, type Store } from "#store";
import type { Alongside, Written } from "../api.ts";
import { newSessionId } from "./session-id.ts";
import { storeDamage } from "./store-damage.ts";
import { tokenCounts } from "./usage/token-counts.ts";

const unsaved = "The session could not be saved; Hermes tries again with the next message. See the log.";

export interface TranscriptDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The row, should it have to be made now; `id` is where the transcript begins. */
  readonly row: NewSession;
  readonly hasRow: boolean;
  /** What was said before, and is written with the first message. */
  readonly before?: readonly Message[] | undefined;
  /** What the surface writes with the messages. */
  alongside(): Alongside | undefined;
  /** The row was made. */
  onRow(): Promise<void>;
  /** Compression began a new part. */
  onSplit(id: SessionId): void;
  /** Another program has the session now: nothing is written here any more. */
  onLost(): void;
  warn(text: string): void;
}

/** The turn that messages belong to. */
export interface WritingTurn {
  readonly id: TurnId;
  /** Inbox entries whose words are the message of this turn. */
  readonly inboxIds: readonly number[];
  /** The sources that sent its words. */
  readonly from: readonly string[];
  /** Writes are refused unless this lease is still held. */
  readonly fence?: Fence | undefined;
}

interface Unsaved {
  readonly message: Message;
  readonly turn: WritingTurn | undefined;
}

/**
 * The messages of a conversation on the store.
 *
 * 1. A session gets its row with its first message, so a conversation that was never held leaves nothing.
 * 2. The message of a person, the end of its wait in the inbox and what the surface writes alongside are one
 *    transaction: a kill repeats or loses none of them.
 * 3. A store that fails does not end a turn: what could not be written is written with the next message, with what
 *    belongs alongside it, turn by turn.
 * 4. Once another program has taken the session over, nothing of a fenced turn is written.
 */
export class StoredTranscript implements Transcript {
  readonly #deps: TranscriptDeps;
  readonly #mutex = new Mutex();
  #id: SessionId;
  #hasRow: boolean;
  #turn: WritingTurn | undefined;
  #before: readonly Message[];
  #unsaved: readonly Unsaved[] = [];
  #isFailing = false;
  #isLost = false;

  constructor(deps: TranscriptDeps) {
    this.#deps = deps;
    this.#id = deps.row.id;
    this.#hasRow = deps.hasRow;
    this.#before = deps.before ?? [];
  }

  /** The part that is written to now. */
  get sessionId(): SessionId {
    return this.#id;
  }

  get hasRow(): boolean {
    return this.#hasRow;
  }

  /** The next messages belong to this turn. */
  beginTurn(turn: WritingTurn): void {
    this.#turn = turn;
  }

  async record(messages: readonly Message[]): Promise<void> {
    const turn = this.#turn;
    const before = this.#before.map((message) => ({ message, turn: undefined }));
    this.#before = [];
    this.#unsaved = [...before, ...this.#unsaved, ...messages.map((message) => ({ message, turn }))];
    await this.#save();
  }

  /** Nothing is written any more. */
  seal(): void {
    this.#isLost = true;
  }

  /** Writes what an earlier failure left over; true when nothing is owed. */
  async flush(): Promise<boolean> {
    await this.#save();
    return this.#unsaved.length === 0;
  }

  async ensureRow(): Promise<void> {
    if (this.#hasRow) return;
    await this.#deps.store.sessions.create({ ...this.#deps.row, id: this.#id });
    await this.#rowMade();
  }

  async split(messages: readonly Message[]): Promise<SessionId> {
    const { clock, logger } = this.#deps;
    await this.#save();
    return await this.#mutex.run(async () => {
      if (this.#isLost) return this.#id;
      const id = newSessionId(clock.now());
      try {
        await this.#fenced((tx) => tx.sessions.continueCompressed(this.#id, { id, messages }));
      } catch (error) {
        // The whole history is stored; going on in the old part loses nothing.
        this.#failed("a compressed part could not be begun", error);
        return this.#id;
      }
      logger.info("compression began a new part", { from: this.#id, to: id });
      this.#id = id;
      this.#deps.onSplit(id);
      return id;
    });
  }

  async amend(messages: readonly Message[]): Promise<void> {
    const amended = new Map(messages.map((message) => [message.uid, message]));
    this.#unsaved = this.#unsaved.map((one) => ({ ...one, message: amended.get(one.message.uid) ?? one.message }));
    await this.#save();
    await this.#write("the form of messages in requests could not be stored", (tx) =>
      tx.messages.amend(this.#id, messages),
    );
  }

  async forget(uids: readonly string[]): Promise<void> {
    const gone = new Set(uids);
    this.#unsaved = this.#unsaved.filter(({ message: { uid } }) => uid === undefined || !gone.has(uid));
    await this.#write("messages could not be taken back", (tx) => tx.messages.remove(this.#id, uids));
  }

  async #save(): Promise<void> {
    await this.#mutex.run(async () => {
      const unsaved = this.#unsaved;
      if (unsaved.length === 0 || this.#isLost) return;
      try {
        await this.#fenced((tx) => this.#append(tx, unsaved));
      } catch (error) {
        this.#failed("messages could not be stored yet", error);
        return;
      }
      this.#isFailing = false;
      this.#unsaved = this.#unsaved.slice(unsaved.length);
      if (!this.#hasRow) await this.#rowMade();
    });
  }

  async #append(tx: Aggregates, unsaved: readonly Unsaved[]): Promise<void> {
    const { row } = this.#deps;
    const alongside = this.#deps.alongside();
    if (!this.#hasRow) await tx.sessions.create({ ...row, id: this.#id });
    const messages = unsaved.map(({ message }) => message);
    const { uids } = await tx.messages.append(this.#id, messages, {
      source: row.source,
      tokenCounts: tokenCounts(messages),
    });
    const isNew = new Set(uids);
    for (const turn of new Set(unsaved.map((one) => one.turn))) {
      if (turn === undefined) continue;
      const ofTurn = unsaved.filter((one) => one.turn === turn).map(({ message }) => message);
      const written = ofTurn.filter(({ uid }) => uid !== undefined && isNew.has(uid));
      if (written.length === 0) continue;
      const inboxIds = written.some(({ role }) => role === "user") ? turn.inboxIds : [];
      await tx.inbox.finish(inboxIds, "done");
      await alongside?.(tx, this.#written(written, { turn, inboxIds }));
    }
  }

  #written(
    messages: readonly Message[],
    { turn, inboxIds }: { readonly turn: WritingTurn; readonly inboxIds: readonly number[] },
  ): Written {
    const last = messages.at(-1);
    const isFinal = last?.role === "assistant" && callsOf(last).length === 0;
    return { sessionId: this.#id, turnId: turn.id, from: turn.from, messages, isFinal, inboxIds };
  }

  async #write(what: string, write: (tx: Aggregates) => Promise<unknown>): Promise<void> {
    if (this.#isLost) return;
    try {
      await this.#fenced(write);
    } catch (error) {
      this.#failed(what, error);
    }
  }

  async #fenced(write: (tx: Aggregates) => Promise<unknown>): Promise<void> {
    const fence = this.#turn?.fence;
    await this.#deps.store.transaction(async (tx) => void (await write(tx)), defined({ fence }));
  }

  async #rowMade(): Promise<void> {
    this.#hasRow = true;
    await this.#deps.onRow();
  }

  /** Says so once per run of failures; every one is in the log. */
  #failed(what: string, error: unknown): void {
    this.#deps.logger.error(what, { session: this.#id, error: describe(error) });
    if (error instanceof LeaseLostError) {
      if (!this.#isLost) this.#deps.onLost();
      this.#isLost = true;
      return;
    }
    if (!this.#isFailing) this.#deps.warn(storeDamage(error) ?? unsaved);
    this.#isFailing = true;
  }
}

import type { Transcript } from "#agent";
import type { Message, SessionId } from "#conversation";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { Mutex } from "#foundation/lifecycle/mutex";
import type { Clock } from "#foundation/time/clock";
import type { NewSession, Store } from "#store";
import { newSessionId } from "./session-id.ts";

export interface TranscriptDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The row, should it have to be made now; `id` is where the transcript begins. */
  readonly row: NewSession;
  readonly hasRow: boolean;
  /** The row was made. */
  onRow(): Promise<void>;
  /** Compression began a new part. */
  onSplit(id: SessionId): void;
  warn(text: string): void;
}

/**
 * The messages of a conversation on the store.
 *
 * 1. A session gets its row with its first message, so a conversation that was never held leaves nothing.
 * 2. The message of a person and the end of its wait in the inbox are one transaction: a kill repeats or
 *    loses neither.
 * 3. A store that fails does not end a turn: what could not be written is written with the next message.
 */
export class StoredTranscript implements Transcript {
  readonly #deps: TranscriptDeps;
  readonly #mutex = new Mutex();
  #id: SessionId;
  #hasRow: boolean;
  #unsaved: readonly Message[] = [];
  #promoted: readonly number[] = [];
  #isFailing = false;

  constructor(deps: TranscriptDeps) {
    this.#deps = deps;
    this.#id = deps.row.id;
    this.#hasRow = deps.hasRow;
  }

  /** The part that is written to now. */
  get sessionId(): SessionId {
    return this.#id;
  }

  get hasRow(): boolean {
    return this.#hasRow;
  }

  /** Inbox entries whose words come with the next message. */
  promote(inboxIds: readonly number[]): void {
    this.#promoted = [...this.#promoted, ...inboxIds];
  }

  async record(messages: readonly Message[]): Promise<void> {
    this.#unsaved = [...this.#unsaved, ...messages];
    await this.#save();
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
    const { store, clock, logger } = this.#deps;
    await this.#save();
    return await this.#mutex.run(async () => {
      const id = newSessionId(clock.now());
      try {
        await store.sessions.continueCompressed(this.#id, { id, messages });
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
    this.#unsaved = this.#unsaved.map((message) => amended.get(message.uid) ?? message);
    await this.#save();
    try {
      await this.#deps.store.messages.amend(this.#id, messages);
    } catch (error) {
      this.#failed("the form of messages in requests could not be stored", error);
    }
  }

  async forget(uids: readonly string[]): Promise<void> {
    const gone = new Set(uids);
    this.#unsaved = this.#unsaved.filter((message) => message.uid === undefined || !gone.has(message.uid));
    try {
      await this.#deps.store.messages.remove(this.#id, uids);
    } catch (error) {
      this.#failed("messages could not be taken back", error);
    }
  }

  async #save(): Promise<void> {
    await this.#mutex.run(async () => {
      const messages = this.#unsaved;
      const promoted = this.#promoted;
      if (messages.length === 0) return;
      const { store, row } = this.#deps;
      try {
        await store.transaction(async (tx) => {
          if (!this.#hasRow) await tx.sessions.create({ ...row, id: this.#id });
          await tx.messages.append(this.#id, messages, { source: row.source });
          await tx.inbox.finish(promoted, "done");
        });
      } catch (error) {
        this.#failed("messages could not be stored yet", error);
        return;
      }
      this.#isFailing = false;
      this.#unsaved = this.#unsaved.slice(messages.length);
      this.#promoted = this.#promoted.slice(promoted.length);
      if (!this.#hasRow) await this.#rowMade();
    });
  }

  async #rowMade(): Promise<void> {
    this.#hasRow = true;
    await this.#deps.onRow();
  }

  /** Says so once per run of failures; every one is in the log. */
  #failed(what: string, error: unknown): void {
    this.#deps.logger.error(what, { session: this.#id, error: describe(error) });
    if (!this.#isFailing)
      this.#deps.warn("The session could not be saved; it is tried again with the next message. See the log.");
    this.#isFailing = true;
  }
}

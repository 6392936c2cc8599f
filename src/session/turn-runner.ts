import { type EventBus, type MessageId, type TurnId, type TurnResult, unstartedTurn } from "#conversation";
import { describe } from "#foundation/errors";
import { newId } from "#foundation/text/ids";
import type { SessionEvent } from "./api.ts";
import { withImages } from "./image-input.ts";
import { type Admitted, idsOf, joinMessages } from "./inbox.ts";
import type { LiveAgent } from "./live-agent.ts";
import type { SessionDeps } from "./session-deps.ts";
import { takeTurnLease } from "./turn-lease.ts";
import { UsageRecord } from "./usage-record.ts";

export interface TurnRunnerDeps {
  readonly session: SessionDeps;
  readonly owner: string;
  readonly cwd: string;
  live(): LiveAgent;
  readonly events: EventBus<SessionEvent>;
  /** The turn is in the books; what follows it may start. */
  afterTurn(result: TurnResult): void;
  /** The session is being closed. */
  readonly signal: AbortSignal;
}

/** A turn from the moment it is taken on; the agent knows of it only when everything for it is there. */
interface ComingTurn {
  canBeSteered: boolean;
  /** It was interrupted before it had begun. */
  stop?: { readonly message: string | undefined };
}

/** Runs the turns of one session and says what became of them. A failure of any kind is an ending, never a throw. */
export class TurnRunner {
  readonly #deps: TurnRunnerDeps;
  #coming: ComingTurn | undefined;

  constructor(deps: TurnRunnerDeps) {
    this.#deps = deps;
  }

  /** False when no turn can be stopped any more. */
  interrupt(message?: string): boolean {
    if (this.#coming === undefined) return false;
    const { agent } = this.#deps.live().handle;
    if (agent.isBusy) agent.interrupt(message);
    else this.#coming.stop = { message };
    return true;
  }

  steer(text: string): boolean {
    return this.#coming?.canBeSteered === true && this.#deps.live().handle.agent.steer(text);
  }

  /** The end of a message that was taken back before its turn. */
  unsent(): TurnResult {
    return {
      ...this.#failed("The message was taken back before it was sent.", "not_sent"),
      interrupted: true,
      failed: false,
    };
  }

  async run(messages: readonly Admitted[]): Promise<TurnResult> {
    const { session, owner, events } = this.#deps;
    const live = this.#deps.live();
    this.#coming = { canBeSteered: false };
    const lease = await takeTurnLease({ ...session, owner }, `turn:${live.headId}`, () => void this.interrupt());
    if (lease.kind === "busy") {
      this.#coming = undefined;
      const error = "Another program is working in this session. The message is kept; send it again when that is done.";
      events.emit({ type: "notice", level: "error", text: error });
      return this.#failed(error, "session_busy");
    }
    await using _lease = lease;
    const claimId = newId("trn") as TurnId;
    try {
      const claimed = await this.#claim(messages, claimId);
      if (claimed.length === 0) return this.#failed("Another program has already sent this message.", "already_sent");
      return await this.#take(claimed);
    } catch (error) {
      session.logger.error("a turn could not be run", { error: describe(error) });
      await this.#giveBack(claimId);
      events.emit({ type: "notice", level: "error", text: describe(error) });
      return this.#failed(describe(error), "internal_error");
    } finally {
      this.#coming = undefined;
    }
  }

  async #take(messages: readonly Admitted[]): Promise<TurnResult> {
    const { session } = this.#deps;
    const live = this.#deps.live();
    const { handle, transcript } = live;
    const record = new UsageRecord(
      {
        store: session.store,
        logger: session.logger,
        sessionId: () => transcript.sessionId,
        target: () => handle.agent.conversation.target,
      },
      session.clock.now(),
    );
    using _ledger = this.#deps.events.observe("usage", record);
    if (this.#coming !== undefined) this.#coming.canBeSteered = true;
    await handle.beforeTurn?.(this.#deps.signal);
    const result = await (messages.some(({ continues }) => continues === true)
      ? this.#continue(live)
      : this.#say(messages, live));
    this.#coming = undefined;
    if (result === undefined)
      return this.#failed("The last turn is finished; there is nothing to go on with.", "nothing_to_continue");
    await record.finish(result, session.clock.now());
    this.#deps.afterTurn(result);
    return result;
  }

  async #say(messages: readonly Admitted[], live: LiveAgent): Promise<TurnResult> {
    const words = joinMessages(messages);
    const content = await this.#content(words, live);
    this.#deps.events.emit({ type: "input-admitted", messageId: newId("msg") as MessageId, text: words.text });
    live.transcript.promote(idsOf(messages));
    return await this.#begun(
      live.handle.agent.runConversation({ ...content, taskId: live.headId, signal: this.#deps.signal }),
    );
  }

  /** An interrupt that came before the turn had begun takes effect now. */
  #begun<T>(turn: Promise<T>): Promise<T> {
    const stop = this.#coming?.stop;
    if (stop !== undefined) this.#deps.live().handle.agent.interrupt(stop.message);
    return turn;
  }

  async #continue(live: LiveAgent): Promise<TurnResult | undefined> {
    return await this.#begun(live.handle.agent.continueTurn({ taskId: live.headId, signal: this.#deps.signal }));
  }

  /** What is sent, and what is stored where that differs. */
  async #content(words: Omit<Admitted, "inboxId">, { handle }: LiveAgent) {
    const warn = (text: string): void => this.#deps.events.emit({ type: "notice", level: "warn", text });
    const said = words.sent ?? words.text;
    const expanded =
      words.isVerbatim === true ? { text: said, warnings: [] } : await handle.expand(said, this.#deps.signal);
    for (const warning of expanded.warnings) warn(warning);
    const { content, warnings } =
      words.images.length > 0 && handle.attachImages !== undefined
        ? await handle.attachImages(expanded.text, words.images, this.#deps.signal)
        : await withImages(expanded.text, words.images, this.#deps.cwd);
    for (const warning of warnings) warn(warning);
    return { userMessage: content, ...(words.sent === undefined ? {} : { persistUserMessage: words.text }) };
  }

  async #claim(messages: readonly Admitted[], claimId: TurnId): Promise<readonly Admitted[]> {
    try {
      return await this.#deps.live().inbox.claim(messages, claimId);
    } catch (error) {
      this.#deps.session.logger.error("the inbox could not be marked", { error: describe(error) });
      return messages;
    }
  }

  async #giveBack(claimId: TurnId): Promise<void> {
    const { store, logger } = this.#deps.session;
    try {
      await store.inbox.release(claimId, { maxAttempts: 3 });
    } catch (error) {
      logger.error("the inbox could not be given back its messages", { error: describe(error) });
    }
  }

  #failed(error: string, errorClass: string): TurnResult {
    const { handle, transcript } = this.#deps.live();
    const { target, history: messages } = handle.agent.conversation;
    const { model, provider, baseUrl } = target;
    return unstartedTurn({ sessionId: transcript.sessionId, messages, error, errorClass, model, provider, baseUrl });
  }
}

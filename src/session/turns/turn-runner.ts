import { type EventBus, type MessageId, type TurnId, type TurnResult, unstartedTurn } from "#conversation";
import { describe } from "#foundation/errors";
import { quietly } from "#foundation/files/quietly";
import { newId } from "#foundation/text/ids";
import { takeLease } from "#store";
import type { SessionEvent } from "../api.ts";
import type { SessionDeps } from "../session-deps.ts";
import type { Conversation } from "./conversation.ts";
import { withImages } from "./image-input.ts";
import { type Admitted, idsOf, joinMessages, type Words } from "./inbox.ts";
import { storeDamage } from "./store-damage.ts";
import type { WritingTurn } from "./transcript.ts";
import { UsageLedger } from "./usage/usage-ledger.ts";

export interface TurnRunnerDeps {
  readonly session: SessionDeps;
  /** Names this program in leases. */
  readonly owner: string;
  /** The folder of the session. */
  readonly cwd: string;
  /** Nothing of a turn is stored once another program has taken the session over. */
  isFenced(): boolean;
  conversation(): Conversation;
  readonly events: EventBus<SessionEvent>;
  /** The turn is in the ledger; what follows it may start. */
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

const maxAttempts = 3;

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
    const { agent } = this.#deps.conversation();
    if (agent.isBusy) agent.interrupt(message);
    else this.#coming.stop = { message };
    return true;
  }

  steer(text: string): boolean {
    return this.#coming?.canBeSteered === true && this.#deps.conversation().agent.steer(text);
  }

  /** The end of a message that was taken back before its turn. */
  unsent(): TurnResult {
    const end = this.#unstarted("The message was withdrawn before it was sent.", "not_sent");
    return { ...end, interrupted: true, failed: false };
  }

  async run(messages: readonly Admitted[]): Promise<TurnResult> {
    const { session, owner } = this.#deps;
    const { headId } = this.#deps.conversation();
    this.#coming = { canBeSteered: false };
    const lease = await takeLease({ ...session, owner }, `turn:${headId}`, () => void this.interrupt());
    if (lease.kind === "busy") {
      this.#coming = undefined;
      const error = "Another program is working in this session. The message is kept; send it again when that is done.";
      this.#tell(error, "error");
      return this.#unstarted(error, "session_busy");
    }
    await using held = lease;
    const turnId = newId("trn") as TurnId;
    try {
      const isFenced = this.#deps.isFenced();
      if (isFenced && held.fence === undefined)
        throw new Error("Could not check whether another program is using this session.");
      const claimed = await this.#claim(messages, turnId);
      if (claimed.length === 0)
        return this.#unstarted("Another program has already sent this message.", "already_sent");
      const from = [...new Set(claimed.flatMap((one) => one.from ?? []))];
      const fence = isFenced ? held.fence : undefined;
      return await this.#take(claimed, { id: turnId, inboxIds: idsOf(claimed), from, fence });
    } catch (error) {
      session.logger.error("a turn could not be run", { error: describe(error) });
      const release = () => session.store.inbox.release(turnId, { maxAttempts });
      await quietly("giving messages back to the inbox", release, { logger: session.logger, level: "error" });
      const text = storeDamage(error) ?? describe(error);
      this.#tell(text, "error");
      return this.#unstarted(text, "internal_error");
    } finally {
      this.#coming = undefined;
    }
  }

  async #take(messages: readonly Admitted[], turn: WritingTurn): Promise<TurnResult> {
    const { session, signal, events } = this.#deps;
    const conversation = this.#deps.conversation();
    conversation.transcript.beginTurn(turn);
    const ledger = new UsageLedger(session, conversation);
    using _ledger = events.observe("usage", ledger);
    if (this.#coming !== undefined) this.#coming.canBeSteered = true;
    const { tools, models } = conversation.services;
    await models.refresh(signal);
    const changedTools = tools.isCurrent ? undefined : await tools.refresh(signal);
    if (changedTools !== undefined) this.#tell(changedTools, "info");
    await conversation.presence?.check();
    const result = await (messages.some(({ continues }) => continues === true)
      ? this.#begun(conversation.agent.continueTurn({ taskId: conversation.headId, turnId: turn.id, signal }))
      : this.#say(messages, conversation, turn.id));
    this.#coming = undefined;
    if (result === undefined)
      return this.#unstarted("The last turn is finished; there is nothing to continue.", "nothing_to_continue");
    await ledger.finish(result);
    this.#deps.afterTurn(result);
    return result;
  }

  async #say(messages: readonly Admitted[], conversation: Conversation, turnId: TurnId): Promise<TurnResult> {
    const words = joinMessages(messages);
    const content = await this.#content(words, conversation);
    const messageId = newId("msg") as MessageId;
    this.#deps.events.emit({ type: "input-admitted", messageId, text: words.text });
    const { headId: taskId, agent } = conversation;
    return await this.#begun(agent.runConversation({ ...content, taskId, turnId, signal: this.#deps.signal }));
  }

  /** An interrupt that came before the turn had begun takes effect now. */
  #begun<T>(turn: Promise<T>): Promise<T> {
    const stop = this.#coming?.stop;
    if (stop !== undefined) this.#deps.conversation().agent.interrupt(stop.message);
    return turn;
  }

  /** What is sent, and what is stored where that differs. */
  async #content(words: Words, { services }: Conversation) {
    const { signal, cwd } = this.#deps;
    const typed = words.sent ?? words.text;
    const isTyped = words.isVerbatim !== true && words.isPlain !== true;
    const arrived = words.isVerbatim === true ? "a message that arrived by itself" : undefined;
    const expanded =
      isTyped && typed.includes("@")
        ? await services.references.expand(typed, signal)
        : { text: typed, attached: [], attachedTokens: 0, warnings: [], untrusted: arrived };
    const { content, warnings } =
      words.images.length === 0
        ? { content: expanded.text, warnings: [] }
        : await withImages(expanded.text, words.images, cwd);
    if (expanded.attached.length > 0)
      this.#tell(`Attached: ${expanded.attached.join(", ")} (about ${expanded.attachedTokens} tokens)`, "info");
    for (const warning of [...expanded.warnings, ...warnings]) this.#tell(warning, "warn");
    const untrusted = expanded.untrusted ?? words.untrusted;
    return { userMessage: content, untrusted, ...(words.sent === undefined ? {} : { persistUserMessage: words.text }) };
  }

  async #claim(messages: readonly Admitted[], claimId: TurnId): Promise<readonly Admitted[]> {
    const { logger } = this.#deps.session;
    const { inbox } = this.#deps.conversation();
    const claim = () => inbox.claim(messages, claimId);
    return (await quietly("claiming messages in the inbox", claim, { logger, level: "error" })) ?? messages;
  }

  #tell(text: string, level: "info" | "warn" | "error"): void {
    this.#deps.events.emit({ type: "notice", level, text });
  }

  #unstarted(error: string, errorClass: string): TurnResult {
    const { agent, transcript } = this.#deps.conversation();
    const { target, history: messages } = agent.conversation;
    const { model, provider, baseUrl } = target;
    return unstartedTurn({ sessionId: transcript.sessionId, messages, error, errorClass, model, provider, baseUrl });
  }
}

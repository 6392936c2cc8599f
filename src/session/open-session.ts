import { unfinishedTurn } from "#agent";
import type { ApprovalChoice, Message, TurnResult, UserMessage } from "#conversation";
import { describe } from "#foundation/errors";
import { deadline } from "#foundation/lifecycle/abort";
import type { Target } from "#model";
import type { TitleOutcome } from "#store";
import type { DeliveredWords } from "#tools";
import type { AgentHandle } from "./agent-handle.ts";
import type { Completion, OpenSession, OpenWish, SessionEvent, SessionInfo, Submission, UserInput } from "./api.ts";
import type { BackgroundRun, SessionControl } from "./commands/command.ts";
import { type LiveAgent, openLiveAgent } from "./live-agent.ts";
import { sessionInfo } from "./session-info.ts";
import { freshWish, type PartsGiven, type SessionParts, sessionParts } from "./session-parts.ts";
import type { BusyMode } from "./settings.ts";
import { endReasonOf } from "./surface.ts";

export interface SessionGiven extends PartsGiven {
  onClosed(session: LiveSession): void;
}

const flushMs = 30_000;

/**
 * One conversation on one surface. It joins the parts: the agent, who runs when (coordinator), what is kept
 * (transcript, inbox), who is asked (approvals, questions) and what commands may do. `/new` puts another
 * agent in the place of this one; surfaces learn of it by `session-changed`.
 */
export class LiveSession implements OpenSession, SessionControl {
  readonly wish: OpenWish;
  readonly #given: SessionGiven;
  readonly #parts: SessionParts;
  readonly #closing = new AbortController();
  #live: LiveAgent | undefined;
  #busyMode: BusyMode | undefined;
  #skillCount = 0;
  #firstTarget: Pick<Target, "model" | "provider"> | undefined;
  #closed: Promise<void> | undefined;

  private constructor(given: SessionGiven) {
    this.#given = given;
    this.wish = given.wish;
    this.#parts = sessionParts(given, {
      control: this,
      live: () => this.live,
      signal: this.#closing.signal,
      turnEnded: (result) => this.#turnEnded(result),
      changed: () => this.#changed(),
      deliver: (words) => this.#deliver(words),
    });
  }

  static async open(given: SessionGiven): Promise<LiveSession> {
    const session = new LiveSession(given);
    await session.#openLive(given.wish);
    return session;
  }

  get live(): LiveAgent {
    if (this.#live === undefined) throw new Error("The session is not open.");
    return this.#live;
  }

  get handle(): AgentHandle {
    return this.live.handle;
  }

  get info(): SessionInfo {
    const { isBusy, queued } = this.#parts.coordinator;
    return sessionInfo(this.live, this.wish, { isBusy, queued, skillCount: this.#skillCount });
  }

  get history(): readonly Message[] {
    return this.handle.agent.conversation.history;
  }

  get busyMode(): BusyMode {
    return this.#busyMode ?? this.#given.deps.settings.busyMode;
  }

  setBusyMode(mode: BusyMode): void {
    this.#busyMode = mode;
  }

  subscribe(listener: (event: SessionEvent) => void): Disposable {
    return this.#parts.events.subscribe(listener);
  }

  async submit(input: UserInput): Promise<Submission> {
    if (this.#closed !== undefined) return { kind: "refused", message: "This session is closed." };
    const images = input.images ?? [];
    if (input.text.trim() === "" && images.length === 0)
      return { kind: "refused", message: "There is nothing to send." };
    const view = await this.#parts.desk.run(input.text);
    if (view !== undefined) return { kind: "command", view };
    const mode = this.busyMode;
    if (this.#parts.coordinator.isBusy && mode === "interrupt") this.#parts.hints.interrupted();
    return await this.#parts.intake.place({ text: input.text, images }, { mode, key: input.key });
  }

  async complete(line: string, signal: AbortSignal): Promise<readonly Completion[]> {
    return await this.#parts.desk.complete(line, signal);
  }

  steer(text: string): boolean {
    return this.#parts.runner.steer(text);
  }

  queue(text: string): void {
    this.#parts.work.start("queue", () => this.enqueue(text));
  }

  unqueue(index: number): string | undefined {
    const gone = this.#parts.coordinator.remove(index);
    if (gone !== undefined) this.#parts.work.start("unqueue", () => this.#parts.intake.settle([gone], "dropped"));
    return gone?.text;
  }

  interrupt(message?: string): void {
    this.#parts.runner.interrupt(message);
  }

  approve(requestId: string, choice: ApprovalChoice): void {
    this.#parts.asking.approve(requestId, choice);
  }

  answer(requestId: string, text: string | undefined): void {
    this.#parts.asking.answer(requestId, text);
  }

  settled(): Promise<void> {
    return this.#parts.coordinator.settled();
  }

  async say(words: { readonly text: string; readonly sent?: string }): Promise<Submission> {
    return await this.#parts.intake.place({ ...words, images: [] }, { mode: this.busyMode });
  }

  continueTurn(): Submission | undefined {
    if (unfinishedTurn(this.history) === undefined) return undefined;
    const placement = this.#parts.coordinator.submit(
      { inboxId: undefined, text: "", images: [], continues: true },
      "queue",
    );
    return placement.kind === "queued" ? { kind: "queued", position: placement.position } : placement;
  }

  async enqueue(text: string): Promise<Submission> {
    return await this.#parts.intake.place({ text, images: [] }, { mode: "queue" });
  }

  async guide(text: string): Promise<Submission> {
    return await this.#parts.intake.place({ text, images: [] }, { mode: "steer" });
  }

  releaseHeld(): number {
    return this.#parts.coordinator.releaseHeld();
  }

  async stopTurn(): Promise<void> {
    if (this.#parts.runner.interrupt()) await this.#parts.coordinator.turnOver();
  }

  async startNew(reason: string): Promise<void> {
    const { store } = this.#given.deps;
    await this.#parts.intake.settle(this.#parts.coordinator.clear(), "dropped");
    this.#parts.runner.interrupt();
    await this.#parts.coordinator.exclusive(async () => {
      const old = this.live;
      await this.#keepMemories("reset");
      // Only when the new one is there is the old one given up.
      await this.#openLive({ ...freshWish(this.wish), ...this.#chosenModel() });
      if (old.transcript.hasRow) await store.sessions.end(old.transcript.sessionId, reason);
      await old[Symbol.asyncDispose]();
    });
    this.#changed();
  }

  async dropLastExchange(): Promise<UserMessage | undefined> {
    const { store } = this.#given.deps;
    const { conversation } = this.handle.agent;
    const at = conversation.history.findLastIndex((message) => message.role === "user");
    const last = conversation.history[at];
    if (last?.role !== "user") return undefined;
    await this.live.transcript.flush();
    if (last.uid !== undefined) await store.messages.removeFrom(this.live.transcript.sessionId, last.uid);
    conversation.history = conversation.history.slice(0, at);
    conversation.meter.forget();
    this.#changed();
    return last;
  }

  async setTitle(title: string): Promise<{ readonly outcome: TitleOutcome; readonly isPending: boolean }> {
    const { transcript, title: holder } = this.live;
    const outcome = await holder.set(title, { id: transcript.sessionId, hasRow: transcript.hasRow });
    this.#changed();
    return { outcome, isPending: holder.isPending };
  }

  startBackground(prompt: string): string {
    return this.#parts.backgrounds.start(prompt);
  }

  backgroundRuns(): readonly BackgroundRun[] {
    return this.#parts.backgrounds.list();
  }

  childTasks(): readonly { readonly id: string; readonly task: string }[] {
    return this.#parts.children.list();
  }

  approveOpen(choice: ApprovalChoice): boolean {
    return this.#parts.asking.approveOpen(choice);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** In a run without a person nobody would see the turn that these words begin. */
  #deliver({ text, how, isVerbatim }: DeliveredWords): boolean {
    if (this.#closed !== undefined || !this.wish.isInteractive) return false;
    const mode = how === "queue" ? "queue" : this.busyMode;
    const words = { text, images: [], ...(isVerbatim ? { isVerbatim } : {}) };
    this.#parts.work.start("deliver", async () => void (await this.#parts.intake.place(words, { mode })));
    return true;
  }

  /** A model the person chose here stays chosen. */
  #chosenModel(): Pick<OpenWish, "model" | "provider"> {
    const { primary } = this.handle.agent.conversation;
    const first = this.#firstTarget;
    if (first === undefined || (first.model === primary.model && first.provider === primary.provider)) return {};
    return { model: primary.model, provider: primary.provider };
  }

  async #openLive(wish: OpenWish): Promise<void> {
    const given = { wish, wiring: this.#parts.wiring };
    const live = await openLiveAgent(this.#given.deps, given, this.#closing.signal);
    this.#live = live;
    this.#firstTarget ??= live.handle.agent.conversation.primary;
    if (wish.isInteractive) this.#parts.coordinator.hold(live.left);
    else for (const message of live.left) this.#parts.coordinator.submit(message, "queue");
    this.#parts.work.start("skills", () => this.#countSkills());
  }

  /** Skills are read from many files; nobody waits for their number. */
  async #countSkills(): Promise<void> {
    this.#skillCount = (await this.handle.skills.commands()).length;
    if (this.#skillCount > 0) this.#changed();
  }

  #turnEnded(result: TurnResult): void {
    this.#parts.afterTurn.start(this.live, result);
    this.#changed();
  }

  #changed(): void {
    if (this.#live !== undefined) this.#parts.events.emit({ type: "session-changed", info: this.info });
  }

  /** One bounded chance to keep what is worth keeping; failing it stops nobody. */
  async #keepMemories(reason: "reset" | "exit"): Promise<void> {
    if (this.history.length === 0) return;
    using limit = deadline(flushMs);
    try {
      await this.handle.flush(reason, limit.signal);
    } catch (error) {
      this.#given.deps.logger.warn("memories were not kept", { reason, error: describe(error) });
    }
  }

  async #close(): Promise<void> {
    const { store, logger } = this.#given.deps;
    this.#parts.runner.interrupt();
    const settled = this.#parts.coordinator.close();
    this.#closing.abort();
    await settled;
    await this.#parts.work[Symbol.asyncDispose]();
    const live = this.#live;
    if (live === undefined) return;
    await this.#keepMemories("exit");
    const reason = endReasonOf(this.wish.source);
    try {
      if (reason !== undefined && live.transcript.hasRow) await store.sessions.end(live.transcript.sessionId, reason);
    } catch (error) {
      logger.error("the session could not be marked as ended", { error: describe(error) });
    }
    await live[Symbol.asyncDispose]();
    this.#given.onClosed(this);
  }
}

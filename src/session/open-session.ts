import { type TurnResult, unfinishedTurn } from "#agent";
import type { AgentEvent, ApprovalChoice, Message, UserMessage } from "#conversation";
import { deadline } from "#foundation/abort";
import { describe } from "#foundation/errors";
import type { Target } from "#model";
import type { TitleOutcome } from "#store";
import { AfterTurn } from "./after-turn.ts";
import type { AgentHandle, DeliveredWords } from "./agent-handle.ts";
import type { Completion, OpenSession, OpenWish, SessionEvent, SessionInfo, Submission, UserInput } from "./api.ts";
import { Asking } from "./asking.ts";
import { BackgroundRuns } from "./background-runs.ts";
import { BackgroundWork } from "./background-work.ts";
import { ChildTasks } from "./child-tasks.ts";
import { CommandDesk } from "./command-desk.ts";
import type { BackgroundRun, SessionControl } from "./commands/command.ts";
import { Coordinator } from "./coordinator.ts";
import { EventHub } from "./event-hub.ts";
import { Hints } from "./hints.ts";
import { Intake } from "./intake.ts";
import { type AgentWiring, type LiveAgent, openLiveAgent } from "./live-agent.ts";
import type { SessionDeps } from "./session-deps.ts";
import { sessionInfo } from "./session-info.ts";
import type { BusyMode } from "./settings.ts";
import { endReasonOf } from "./surface.ts";
import { TurnRunner } from "./turn-runner.ts";

export interface SessionGiven {
  readonly deps: SessionDeps;
  readonly wish: OpenWish;
  /** Names this program in leases. */
  readonly owner: string;
  /** Another session of the same service. */
  openOther(wish: OpenWish): Promise<OpenSession>;
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
  readonly #hub: EventHub;
  readonly #asking: Asking;
  readonly #wiring: AgentWiring;
  readonly #runner: TurnRunner;
  readonly #coordinator: Coordinator;
  readonly #work: BackgroundWork;
  readonly #backgrounds: BackgroundRuns;
  readonly #afterTurn: AfterTurn;
  readonly #desk: CommandDesk;
  readonly #intake: Intake;
  readonly #hints: Hints;
  readonly #closing = new AbortController();
  readonly #children = new ChildTasks();
  #live: LiveAgent | undefined;
  #busyMode: BusyMode | undefined;
  #skillCount = 0;
  #firstTarget: Pick<Target, "model" | "provider"> | undefined;
  #closed: Promise<void> | undefined;

  private constructor(given: SessionGiven) {
    const { deps, wish, owner } = given;
    this.#given = given;
    this.wish = wish;
    this.#hub = new EventHub(deps.logger);
    this.#work = new BackgroundWork(deps.logger);
    const emit = (event: SessionEvent): void => this.#hub.emit(event);
    const canAsk = (): boolean => wish.isInteractive && this.#hub.hasListeners;
    this.#asking = new Asking({ clock: deps.clock, settings: deps.settings, canAsk, emit });
    this.#runner = new TurnRunner({
      session: deps,
      owner,
      cwd: wish.cwd,
      live: () => this.live,
      emit,
      afterTurn: (result) => this.#turnEnded(result),
      signal: this.#closing.signal,
    });
    this.#wiring = {
      owner,
      approver: this.#asking.approver,
      askUser: wish.isInteractive ? this.#asking.questions.askUser : undefined,
      askSecret: this.#asking.questions.askSecret,
      askPerson: this.#asking.questions.askPerson,
      deliver: (words) => this.#deliver(words),
      emit: (event) => this.#see(event),
      onTurnEnd: () => this.#changed(),
      onChange: () => this.#changed(),
    };
    this.#coordinator = new Coordinator({
      run: (messages) => this.#runner.run(messages),
      interrupt: (text) => this.#runner.interrupt(text),
      steer: (text) => this.#runner.steer(text),
      settleSteered: (messages) => this.#intake.settle(messages, "done"),
      onQueue: (queued) => emit({ type: "queue-changed", queued }),
      unsent: () => this.#runner.unsent(),
    });
    this.#intake = new Intake({ logger: deps.logger, coordinator: this.#coordinator, inbox: () => this.live.inbox });
    this.#hints = new Hints(deps, emit);
    this.#desk = new CommandDesk({
      session: deps,
      control: this,
      coordinator: this.#coordinator,
      work: this.#work,
      emit,
      onChange: () => this.#changed(),
      signal: this.#closing.signal,
    });
    this.#backgrounds = new BackgroundRuns({
      clock: deps.clock,
      work: this.#work,
      open: () => given.openOther(freshWish({ ...wish, ...this.#sameModel(), isInteractive: false })),
      emit,
    });
    this.#afterTurn = new AfterTurn({
      session: deps,
      work: this.#work,
      source: wish.source,
      onTitle: () => this.#changed(),
    });
  }

  /** What runs beside this conversation runs on its model, also when nobody named one. */
  #sameModel(): { readonly model: string; readonly provider: string } {
    const { model, provider } = this.live.handle.agent.conversation.primary;
    return { model, provider };
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
    const { isBusy, queued } = this.#coordinator;
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
    return this.#hub.subscribe(listener);
  }

  async submit(input: UserInput): Promise<Submission> {
    if (this.#closed !== undefined) return { kind: "refused", message: "This session is closed." };
    const images = input.images ?? [];
    if (input.text.trim() === "" && images.length === 0)
      return { kind: "refused", message: "There is nothing to send." };
    const view = await this.#desk.run(input.text);
    if (view !== undefined) return { kind: "command", view };
    const mode = this.busyMode;
    if (this.#coordinator.isBusy && mode === "interrupt") this.#work.start("hint", () => this.#hints.interrupted());
    return await this.#intake.place({ text: input.text, images }, { mode, key: input.key });
  }

  async complete(line: string, signal: AbortSignal): Promise<readonly Completion[]> {
    return await this.#desk.complete(line, signal);
  }

  steer(text: string): boolean {
    return this.#runner.steer(text);
  }

  queue(text: string): void {
    this.#work.start("queue", () => this.enqueue(text));
  }

  unqueue(index: number): string | undefined {
    const gone = this.#coordinator.remove(index);
    if (gone !== undefined) this.#work.start("unqueue", () => this.#intake.settle([gone], "dropped"));
    return gone?.text;
  }

  interrupt(message?: string): void {
    this.#runner.interrupt(message);
  }

  approve(requestId: string, choice: ApprovalChoice): void {
    this.#asking.approve(requestId, choice);
  }

  answer(requestId: string, text: string | undefined): void {
    this.#asking.answer(requestId, text);
  }

  settled(): Promise<void> {
    return this.#coordinator.settled();
  }

  async say(words: { readonly text: string; readonly sent?: string }): Promise<Submission> {
    return await this.#intake.place({ ...words, images: [] }, { mode: this.busyMode });
  }

  continueTurn(): Submission | undefined {
    if (unfinishedTurn(this.history) === undefined) return undefined;
    const placement = this.#coordinator.submit({ inboxId: undefined, text: "", images: [], continues: true }, "queue");
    return placement.kind === "queued" ? { kind: "queued", position: placement.position } : placement;
  }

  async enqueue(text: string): Promise<Submission> {
    return await this.#intake.place({ text, images: [] }, { mode: "queue" });
  }

  async guide(text: string): Promise<Submission> {
    return await this.#intake.place({ text, images: [] }, { mode: "steer" });
  }

  releaseHeld(): number {
    return this.#coordinator.releaseHeld();
  }

  async stopTurn(): Promise<void> {
    if (this.#runner.interrupt()) await this.#coordinator.turnOver();
  }

  async startNew(reason: string): Promise<void> {
    const { store } = this.#given.deps;
    await this.#intake.settle(this.#coordinator.clear(), "dropped");
    this.#runner.interrupt();
    await this.#coordinator.exclusive(async () => {
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
    return this.#backgrounds.start(prompt);
  }

  backgroundRuns(): readonly BackgroundRun[] {
    return this.#backgrounds.list();
  }

  childTasks(): readonly { readonly id: string; readonly task: string }[] {
    return this.#children.list();
  }

  approveOpen(choice: ApprovalChoice): boolean {
    return this.#asking.approveOpen(choice);
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
    this.#work.start("deliver", async () => void (await this.#intake.place(words, { mode })));
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
    const given = { wish, wiring: this.#wiring };
    const live = await openLiveAgent(this.#given.deps, given, this.#closing.signal);
    this.#live = live;
    this.#firstTarget ??= live.handle.agent.conversation.primary;
    if (wish.isInteractive) this.#coordinator.hold(live.left);
    else for (const message of live.left) this.#coordinator.submit(message, "queue");
    this.#work.start("skills", () => this.#countSkills());
  }

  /** Skills are read from many files; nobody waits for their number. */
  async #countSkills(): Promise<void> {
    this.#skillCount = (await this.handle.skills.commands()).length;
    if (this.#skillCount > 0) this.#changed();
  }

  #see(event: AgentEvent): void {
    this.#children.see(event);
    if (event.type === "tool-end") this.#work.start("hint", () => this.#hints.see(event));
    this.#runner.see(event);
  }

  #turnEnded(result: TurnResult): void {
    this.#afterTurn.start(this.live, result);
    this.#changed();
  }

  #changed(): void {
    if (this.#live !== undefined) this.#hub.emit({ type: "session-changed", info: this.info });
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
    this.#runner.interrupt();
    const settled = this.#coordinator.close();
    this.#closing.abort();
    await settled;
    await this.#work[Symbol.asyncDispose]();
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

/** The same surface and choices, for a conversation that begins now. */
function freshWish(wish: OpenWish): OpenWish {
  const { resume: _resume, title: _title, ...rest } = wish;
  return rest;
}

import { type ApprovalAnswer, EventBus, type Message } from "#conversation";
import type { DeliveredWords } from "#tools";
import type {
  Completion,
  OpenOptions,
  OpenSession,
  SessionEvent,
  SessionInfo,
  SessionListener,
  SessionMode,
  SessionRequest,
  Submission,
  SubscribeOptions,
  UserInput,
} from "../api.ts";
import type { CommandServices } from "../commands/command.ts";
import { guestOf } from "../services/session-scope.ts";
import type { SessionDeps } from "../session-deps.ts";
import { SessionTraces } from "../traces/session-traces.ts";
import { AfterTurn } from "../turns/after-turn.ts";
import { BackgroundWork } from "../turns/background-work.ts";
import { CurrentConversation, freshOptions } from "../turns/current-conversation.ts";
import { Turns } from "../turns/turns.ts";
import { Asking } from "./asking.ts";
import { BackgroundRuns } from "./background-runs.ts";
import { ChildTasks } from "./child-tasks.ts";
import { CommandDispatcher } from "./command-dispatcher.ts";
import { Hints } from "./hints.ts";
import { askWith } from "./questions.ts";
import { RecentEvents } from "./recent-events.ts";
import { sessionInfo } from "./session-info.ts";
import { ShownApprovals } from "./shown-approvals.ts";
import { endReasonOf } from "./surface.ts";

const lostText = "Another program has taken this session over. Reopen it to continue here.";

export interface FrontDeps {
  readonly session: SessionDeps;
  readonly options: OpenOptions;
  /** Names this program in leases. */
  readonly owner: string;
  /** One window alone has it: another one that opens it is told, and this one too. */
  readonly isAlone: boolean;
  /** Another session of the same service. */
  openOther(options: OpenOptions): Promise<OpenSession>;
  onClosed(front: SessionFront): Promise<void>;
}

/**
 * What a surface holds of a session: who runs when, what is told, who is asked, what can be typed. The conversation
 * behind it can be replaced by another one; the front stays.
 */
export class SessionFront implements OpenSession {
  readonly #deps: FrontDeps;
  readonly #closing = new AbortController();
  readonly #events: EventBus<SessionEvent>;
  readonly #work: BackgroundWork;
  readonly #asking: Asking;
  readonly #children = new ChildTasks();
  readonly #recent = new RecentEvents();
  readonly #turns: Turns;
  readonly #conversation: CurrentConversation;
  readonly #background: BackgroundRuns;
  readonly #dispatcher: CommandDispatcher;
  #skillCount = 0;
  #closed: Promise<void> | undefined;
  #isLost = false;
  #alongside: OpenOptions["alongside"];
  #onAside: OpenOptions["onAside"];
  #isFenced = false;

  private constructor(deps: FrontDeps) {
    const { session, options, owner } = deps;
    const { signal } = this.#closing;
    const onChange = (): void => this.#changed();
    this.#deps = deps;
    this.adopt(options);
    const events = new EventBus<SessionEvent>(session.logger);
    const emit = (event: SessionEvent): void => events.emit(event);
    const work = new BackgroundWork(session.logger);
    this.#events = events;
    this.#work = work;
    const canAsk = (): boolean => options.isInteractive && events.hasListeners;
    this.#asking = new Asking({
      clock: session.clock,
      settings: session.settings,
      source: options.source,
      canAsk,
      emit,
    });
    const hints = new Hints({ session, source: options.source, work, emit });
    events.observe("children", this.#children);
    events.observe("hints", hints);
    events.observe(
      "approvals",
      new ShownApprovals({
        ...{ session, work, info: () => this.info },
        approve: (id, answer) => void this.#asking.approve(id, answer),
      }),
    );
    const { traces: sink, clock } = session;
    if (sink !== undefined) events.observe("traces", new SessionTraces({ sink, clock, source: options.source }));
    events.observe("asides", {
      note: (event) => event.type === "notice" && event.isAside === true && this.#onAside?.(event.text),
    });
    events.observe("recent", this.#recent);
    const afterTurn = new AfterTurn({ session, work, source: options.source, onTitle: onChange });
    const conversation = (): CurrentConversation["now"] => this.#conversation.now;
    this.#turns = new Turns({
      session,
      owner,
      cwd: options.cwd,
      isFenced: () => this.#isFenced,
      conversation,
      events,
      signal,
      onInterrupted: () => hints.interrupted(),
      afterTurn: (result) => {
        afterTurn.start(conversation(), result);
        onChange();
      },
    });
    const { approver, prompter } = this.#asking;
    const askUser = options.isInteractive ? askWith(prompter) : undefined;
    this.#conversation = new CurrentConversation({
      session,
      owner,
      options,
      events,
      turns: this.#turns,
      work,
      isAlone: deps.isAlone,
      surface: { approver, prompter, askUser, deliver: (words) => this.#deliver(words) },
      onChange,
      alongside: () => this.#alongside,
      onLost: () => this.#lose(),
      signal,
    });
    this.#background = new BackgroundRuns({ clock: session.clock, work, emit, open: () => this.#openBeside() });
    this.#dispatcher = new CommandDispatcher({
      session,
      view: this,
      source: options.source,
      person: options.userId === undefined ? undefined : { id: options.userId, isOwner: options.isOwner === true },
      turns: this.#turns,
      work,
      events,
      services: () => this.#services(),
      onChange,
      signal,
    });
  }

  static async open(deps: FrontDeps): Promise<SessionFront> {
    const front = new SessionFront(deps);
    await front.#conversation.open();
    if (deps.options.isInteractive) front.#work.start("skills", () => front.#countSkills());
    return front;
  }

  get info(): SessionInfo {
    const { isBusy, queued } = this.#turns;
    return sessionInfo(this.#conversation.now, this.#deps.options, { isBusy, queued, skillCount: this.#skillCount });
  }

  /** What waits for an answer of a person. */
  get requests(): readonly SessionRequest[] {
    return this.#recent.requests;
  }

  get history(): readonly Message[] {
    return this.#conversation.now.agent.conversation.history;
  }

  subscribe(listener: SessionListener, { afterSeq }: SubscribeOptions = {}): Disposable {
    if (afterSeq === undefined) return this.#events.subscribe(listener);
    const { newest } = this.#recent;
    for (const { event, seq } of this.#recent.after(afterSeq, () => this.info)) listener(event, seq);
    // A notice that nobody heard is among what was missed; it is not told twice.
    return this.#events.subscribe((event, seq) => seq > newest && listener(event, seq));
  }

  /** Another program has it now: it is of no use to anybody. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Neither at work nor waiting for somebody: closing it now would end nothing. */
  get isIdle(): boolean {
    if (this.#turns.isBusy || this.#asking.isOpen || this.#background.list().length > 0) return false;
    if (this.#children.list().length > 0) return false;
    return !this.#conversation.now.services.processes.list().some(({ state }) => state === "running");
  }

  /** Another surface holds it too, and brings what only it can write, or what it must be sure of. */
  adopt({ alongside, onAside, isFenced }: Pick<OpenOptions, "alongside" | "onAside" | "isFenced">): void {
    this.#alongside = alongside ?? this.#alongside;
    this.#onAside = onAside ?? this.#onAside;
    this.#isFenced ||= isFenced === true;
  }

  async submit(input: UserInput, from = this.#deps.options.source): Promise<Submission> {
    const { text, sent, images = [], admission, isPlain, untrusted, isAwaited } = input;
    if (this.#closed !== undefined) return { kind: "refused", message: "This session is closed." };
    if (this.#isLost) return { kind: "refused", message: lostText, isLost: true };
    if (text.trim() === "" && images.length === 0) return { kind: "refused", message: "There is nothing to send." };
    const isCommand = isPlain !== true && text.trimStart().startsWith("/");
    const command = isCommand ? await this.#dispatcher.find(text) : undefined;
    if (command === undefined)
      return await this.#turns.say({ text, sent, images, from, isPlain, untrusted }, { admission, isAwaited });
    if (admission !== undefined && !(await this.#turns.admitCommand(text, admission))) return { kind: "duplicate" };
    const view = await command();
    // A command may have changed the model, the conversation, or what it costs.
    this.#changed();
    return { kind: "command", view };
  }

  continueTurn(): Submission | undefined {
    return this.#turns.continueTurn();
  }

  async complete(line: string, signal: AbortSignal): Promise<readonly Completion[]> {
    return await this.#dispatcher.complete(line, signal);
  }

  steer(text: string): boolean {
    return this.#turns.steer(text);
  }

  queue(text: string, from = this.#deps.options.source): void {
    this.#work.start("queue", () => this.#turns.say({ text, images: [], from }, { mode: "queue" }));
  }

  unqueue(index: number): string | undefined {
    const gone = this.#turns.unqueue(index);
    if (gone !== undefined) this.#work.start("unqueue", () => gone.settled);
    return gone?.text;
  }

  interrupt(message?: string): void {
    this.#turns.interrupt(message);
  }

  breakOff(): void {
    this.#isLost = true;
    this.#conversation.now.transcript.seal();
    this.#turns.interrupt();
  }

  setMode(mode: SessionMode): void {
    const { approvals } = this.#conversation.now.services;
    approvals.setPlanning(mode === "plan");
    approvals.setYolo(mode === "yolo");
    this.#changed();
  }

  approve(requestId: string, answer: ApprovalAnswer): void {
    this.#asking.approve(requestId, answer);
  }

  answer(requestId: string, text: string | undefined): void {
    this.#asking.answer(requestId, text);
  }

  settled(): Promise<void> {
    return this.#turns.settled();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close(() => this.#conversation.close(endReasonOf(this.#deps.options.source)));
    return this.#closed;
  }

  /** Closes it without ending the conversation, for as long as nobody needs it. */
  putAway(): Promise<void> {
    this.#closed ??= this.#close(() => this.#conversation.putAway());
    return this.#closed;
  }

  /** What was said since is in nobody's history: the other program went on from what is stored. */
  #lose(): void {
    this.#isLost = true;
    this.#events.emit({ type: "notice", level: "error", text: lostText });
    this.#turns.interrupt();
  }

  #services(): CommandServices {
    const { session } = this.#deps;
    const { store, clock, logger, settings, home, preferences } = session;
    return {
      ...this.#conversation.now.services,
      turns: this.#turns,
      conversation: this.#conversation,
      background: this.#background,
      children: this.#children,
      asking: this.#asking,
      line: this,
      cron: {
        answer: (line) => session.answerCron(line, { sessionId: this.info.id, userId: guestOf(this.#deps.options) }),
      },
      machine: session,
      store,
      clock,
      logger,
      settings,
      home,
      preferences,
    };
  }

  /** In a run without a person nobody would see the turn that these words begin. */
  #deliver({ text, how, isVerbatim, untrusted }: DeliveredWords): boolean {
    if (this.#closed !== undefined || !this.#deps.options.isInteractive) return false;
    const mode = how === "queue" ? "queue" : this.#turns.busyMode;
    this.#work.start("deliver", () => this.#turns.say({ text, images: [], isVerbatim, untrusted }, { mode }));
    return true;
  }

  /** What runs beside a conversation runs on its model, also when nobody named one. */
  #openBeside(): Promise<OpenSession> {
    const { model, provider } = this.#conversation.now.agent.conversation.primary;
    const options = {
      ...freshOptions(this.#deps.options),
      alongside: undefined,
      onAside: undefined,
      isFenced: undefined,
    };
    return this.#deps.openOther({ ...options, model, provider, isInteractive: false });
  }

  /** Skills are read from many files; nobody waits for their number, nor for a word about those that no slash reaches. */
  async #countSkills(): Promise<void> {
    const { skills } = this.#conversation.now.services;
    this.#skillCount = (await skills.commands()).length;
    if (this.#skillCount > 0) this.#changed();
    // For whoever keeps the skills; a chat on a platform would hear it with every session.
    if (this.#deps.options.source !== "cli") return;
    const { builtinCommands } = await import("../commands/index.ts");
    const taken = new Set(builtinCommands.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
    for (const text of await skills.unreachable(taken))
      if (this.#conversation.isOpen) this.#events.emit({ type: "notice", level: "warn", text });
  }

  #changed(): void {
    if (this.#conversation.isOpen) this.#events.emit({ type: "session-changed", info: this.info });
  }

  async #close(closeConversation: () => Promise<void>): Promise<void> {
    const settled = this.#turns.close();
    this.#closing.abort();
    await settled;
    await this.#work[Symbol.asyncDispose]();
    await closeConversation();
    await this.#deps.onClosed(this);
  }
}

import { unfinishedTurn } from "#agent";
import { quietly } from "#foundation/files/quietly";
import type { InputAdmission, Submission } from "../api.ts";
import type { BusyMode } from "../settings.ts";
import { Coordinator } from "./coordinator.ts";
import { type Admitted, idsOf, type Words } from "./inbox.ts";
import { TurnRunner, type TurnRunnerDeps } from "./turn-runner.ts";

export interface TurnsDeps extends TurnRunnerDeps {
  /** A message has just stopped a turn. */
  onInterrupted(): void;
}

/**
 * What begins, feeds and stops the turns of a session. Words are on disk before anything is done with them; a store
 * that fails does not stop them.
 */
export class Turns {
  readonly #deps: TurnsDeps;
  readonly #runner: TurnRunner;
  readonly #coordinator: Coordinator;
  #busyMode: BusyMode | undefined;

  constructor(deps: TurnsDeps) {
    this.#deps = deps;
    const runner = new TurnRunner(deps);
    this.#runner = runner;
    this.#coordinator = new Coordinator({
      run: (messages) => runner.run(messages),
      interrupt: (text) => runner.interrupt(text),
      steer: (text) => runner.steer(text),
      settleSteered: (messages) => this.#settle(messages, "done"),
      onQueue: (queued) => deps.events.emit({ type: "queue-changed", queued }),
      unsent: () => runner.unsent(),
    });
  }

  get isBusy(): boolean {
    return this.#coordinator.isBusy;
  }

  get queued(): readonly string[] {
    return this.#coordinator.queued;
  }

  /** What a message does while a turn runs. */
  get busyMode(): BusyMode {
    return this.#busyMode ?? this.#deps.session.settings.busyMode;
  }

  setBusyMode(mode: BusyMode): void {
    this.#busyMode = mode;
  }

  /** Words for the model. */
  async say(
    input: Words,
    how: {
      readonly mode?: BusyMode;
      readonly admission?: InputAdmission | undefined;
      readonly isAwaited?: boolean | undefined;
    } = {},
  ): Promise<Submission> {
    const words = this.#withoutSecrets(input);
    const mode = how.mode ?? this.busyMode;
    const admit = () => this.#deps.conversation().inbox.admit(words, how);
    // Whoever waits for the receipt of an input sends it again when there is none; of others nothing may be lost.
    const admission =
      how.admission === undefined ? await this.#kept("keeping a message before it is sent", admit) : await admit();
    if (admission?.kind === "duplicate") return { kind: "duplicate" };
    if (this.isBusy && mode === "interrupt") this.#deps.onInterrupted();
    return submissionOf(this.#coordinator.submit(admission?.message ?? { ...words, inboxIds: [] }, mode));
  }

  /** What a person writes may hold a key by mistake: it is neither kept nor sent. */
  #withoutSecrets(words: Words): Words {
    const { redactKnown } = this.#deps.session;
    const text = redactKnown(words.text);
    const sent = words.sent === undefined ? undefined : redactKnown(words.sent);
    if (text === words.text && sent === words.sent) return words;
    return sent === undefined ? { ...words, text } : { ...words, text, sent };
  }

  /** False for a command that came in before. */
  admitCommand(line: string, admission: InputAdmission): Promise<boolean> {
    return this.#deps.conversation().inbox.admitCommand(line, admission);
  }

  /** Goes on with a turn that broke off; undefined when the last one is finished. */
  continueTurn(): Submission | undefined {
    if (unfinishedTurn(this.#deps.conversation().agent.conversation.history) === undefined) return undefined;
    const message: Admitted = { inboxIds: [], text: "", images: [], continues: true };
    return submissionOf(this.#coordinator.submit(message, "queue"));
  }

  /** What an earlier run left: held until somebody asks for it, or sent where nobody can. */
  takeOver(left: readonly Admitted[], isHeld: boolean): void {
    if (isHeld) this.#coordinator.hold(left);
    else for (const message of left) this.#coordinator.submit(message, "queue");
  }

  /** Sends messages that wait from an earlier run; how many. */
  releaseHeld(): number {
    return this.#coordinator.releaseHeld();
  }

  /** Guidance for the running turn; false when it cannot take any. */
  steer(text: string): boolean {
    return this.#runner.steer(text);
  }

  interrupt(message?: string): boolean {
    return this.#runner.interrupt(message);
  }

  /** Stops the running turn and waits until it has ended. */
  async stop(): Promise<void> {
    if (this.interrupt()) await this.#coordinator.turnOver();
  }

  /** Takes a waiting message out again. */
  unqueue(index: number): { readonly text: string; readonly settled: Promise<void> } | undefined {
    const gone = this.#coordinator.remove(index);
    return gone === undefined ? undefined : { text: gone.text, settled: this.#settle([gone], "dropped") };
  }

  /** Takes out everything that waits, stops the turn that runs, and works while none may begin. */
  async replace(work: () => Promise<void>): Promise<void> {
    await this.#settle(this.#coordinator.clear(), "dropped");
    this.interrupt();
    await this.#coordinator.exclusive(work);
  }

  /** Does something between two turns: at once when none runs. */
  between(work: () => Promise<void>): Promise<void> {
    return this.#coordinator.between(work);
  }

  settled(): Promise<void> {
    return this.#coordinator.settled();
  }

  /** Ends the running turn and starts no other; what waits stays in the inbox. */
  async close(): Promise<void> {
    this.interrupt();
    await this.#coordinator.close();
  }

  async #settle(messages: readonly Admitted[], status: "done" | "dropped"): Promise<void> {
    if (idsOf(messages).length === 0) return;
    const { inbox } = this.#deps.conversation();
    await this.#kept("settling the inbox", () => inbox.finish(messages, status));
  }

  async #kept<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    return await quietly(what, work, { logger: this.#deps.session.logger, level: "error" });
  }
}

function submissionOf(placement: ReturnType<Coordinator["submit"]>): Submission {
  return placement.kind === "queued" ? { kind: "queued", position: placement.position } : placement;
}

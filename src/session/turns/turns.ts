import { unfinishedTurn } from "#agent";
import { quietly } from "#foundation/files/quietly";
import type { Submission } from "../api.ts";
import type { BusyMode } from "../settings.ts";
import { Coordinator } from "./coordinator.ts";
import { type Admitted, idsOf } from "./inbox.ts";
import { TurnRunner, type TurnRunnerDeps } from "./turn-runner.ts";

/** Words on their way in: nothing has been written of them yet. */
export type Words = Omit<Admitted, "inboxId">;

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

  /** Words for the model. The same key twice is one message. */
  async say(
    words: Words,
    how: { readonly mode?: BusyMode; readonly key?: string | undefined } = {},
  ): Promise<Submission> {
    const mode = how.mode ?? this.busyMode;
    if (this.isBusy && mode === "interrupt") this.#deps.onInterrupted();
    const admission = await quietly(
      "keeping a message before it is sent",
      () => this.#deps.conversation().inbox.admit(words, how.key),
      { logger: this.#deps.session.logger, level: "error" },
    );
    if (admission?.kind === "duplicate") return { kind: "refused", message: "This message was already received." };
    const message = admission?.message ?? { ...words, inboxId: undefined };
    return submissionOf(this.#coordinator.submit(message, mode));
  }

  /** Goes on with a turn that broke off; undefined when the last one is finished. */
  continueTurn(): Submission | undefined {
    if (unfinishedTurn(this.#deps.conversation().agent.conversation.history) === undefined) return undefined;
    const message: Admitted = { inboxId: undefined, text: "", images: [], continues: true };
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
    const { logger } = this.#deps.session;
    await quietly("settling the inbox", () => inbox.finish(messages, status), { logger, level: "error" });
  }
}

function submissionOf(placement: ReturnType<Coordinator["submit"]>): Submission {
  return placement.kind === "queued" ? { kind: "queued", position: placement.position } : placement;
}

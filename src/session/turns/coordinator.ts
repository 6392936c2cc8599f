import type { TurnResult } from "#conversation";
import { Deferred } from "#foundation/lifecycle/deferred";
import { Mutex } from "#foundation/lifecycle/mutex";
import type { BusyMode } from "../settings.ts";
import type { Admitted } from "./inbox.ts";

export interface CoordinatorDeps {
  /** Runs one turn with these messages joined; settles for every ending and never rejects. */
  run(messages: readonly Admitted[]): Promise<TurnResult>;
  /** Stops the running turn; false when it is past the point where that means anything. */
  interrupt(text: string): boolean;
  /** Hands text into the running turn; false when it cannot take any. */
  steer(text: string): boolean;
  /** Guidance that a turn has taken in, or that was given up. */
  settleSteered(messages: readonly Admitted[]): Promise<void>;
  onQueue(texts: readonly string[]): void;
  /** How a message ends that was taken out before its turn. */
  unsent(): TurnResult;
}

export type Placement =
  | { readonly kind: "turn"; readonly ended: Promise<TurnResult> }
  | { readonly kind: "queued"; readonly position: number; readonly ended: Promise<TurnResult> }
  | { readonly kind: "steered" };

interface Waiting {
  readonly message: Admitted;
  readonly ended: Deferred<TurnResult>;
  /** Typed to stop the running turn: goes before the queue, together with others of its kind. */
  readonly isUrgent: boolean;
}

/**
 * One turn at a time for one conversation. Whatever arrives meanwhile interrupts, waits or is handed in.
 *
 * 1. Every message placed here is run or taken out again; none is lost by an interrupt.
 * 2. Messages typed during an interrupt become one.
 * 3. Whoever waits for the end of a message gets one, also when it is taken out.
 * 4. Messages left over from an earlier run are held until somebody sends something.
 */
export class Coordinator {
  readonly #deps: CoordinatorDeps;
  #waiting: readonly Waiting[] = [];
  #held: readonly Waiting[] = [];
  #steered: readonly Admitted[] = [];
  #pumping: Promise<void> | undefined;
  #turn: Promise<unknown> | undefined;
  #afterTurn: (() => Promise<void>)[] = [];
  readonly #exclusive = new Mutex();
  #isPaused = false;
  #isClosed = false;

  constructor(deps: CoordinatorDeps) {
    this.#deps = deps;
  }

  get isBusy(): boolean {
    return this.#pumping !== undefined || this.#isPaused;
  }

  get queued(): readonly string[] {
    return this.#listed().map(({ message }) => message.text);
  }

  submit(message: Admitted, mode: BusyMode): Placement {
    if (!this.isBusy) return { kind: "turn", ended: this.#start(message) };
    if (mode === "steer" && message.images.length === 0 && this.#deps.steer(message.sent ?? message.text)) {
      this.#steered = [...this.#steered, message];
      return { kind: "steered" };
    }
    if (mode === "interrupt") {
      const ended = this.#add(message, true);
      this.#deps.interrupt(message.text);
      return { kind: "turn", ended };
    }
    const ended = this.#add(message, false);
    return { kind: "queued", position: this.#waiting.length, ended };
  }

  /** Keeps messages of an earlier run until somebody asks for them. */
  hold(messages: readonly Admitted[]): void {
    const more = messages.map((message) => ({ message, ended: new Deferred<TurnResult>(), isUrgent: false }));
    this.#held = [...this.#held, ...more];
    this.#tell();
  }

  /** Sends what was held; how many there were. */
  releaseHeld(): number {
    const held = this.#held;
    this.#held = [];
    this.#waiting = [...held, ...this.#waiting];
    if (held.length > 0 && !this.isBusy) this.#pump();
    return held.length;
  }

  /** Takes a waiting message out again. */
  remove(index: number): Admitted | undefined {
    const gone = this.#listed()[index];
    if (gone === undefined) return undefined;
    this.#held = this.#held.filter((one) => one !== gone);
    this.#waiting = this.#waiting.filter((one) => one !== gone);
    gone.ended.resolve(this.#deps.unsent());
    this.#tell();
    return gone.message;
  }

  /** Takes everything out: the conversation these were meant for is over. */
  clear(): readonly Admitted[] {
    const gone = this.#listed();
    this.#held = [];
    this.#waiting = [];
    for (const { ended } of gone) ended.resolve(this.#deps.unsent());
    if (gone.length > 0) this.#tell();
    return gone.map(({ message }) => message);
  }

  /** Does something between two turns: at once when none runs. */
  async between(work: () => Promise<void>): Promise<void> {
    if (!this.isBusy) return await work();
    const done = new Deferred<void>();
    this.#afterTurn.push(() => work().then(done.resolve, done.reject));
    await done.promise;
  }

  /** Does something while no turn runs and none may begin; what arrives meanwhile waits. Not from inside `between`. */
  async exclusive(work: () => Promise<void>): Promise<void> {
    await this.#exclusive.run(async () => {
      this.#isPaused = true;
      try {
        await this.settled();
        await work();
      } finally {
        this.#isPaused = false;
        this.#resume();
      }
    });
  }

  /** Resolves when the turn that runs now is over; what waits may follow it. */
  async turnOver(): Promise<void> {
    await this.#turn;
  }

  /** Resolves when no turn runs and nothing will start by itself. */
  async settled(): Promise<void> {
    while (this.#pumping !== undefined) await this.#pumping;
  }

  /** Starts nothing more; what waits stays in the inbox. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.settled();
    for (const { ended } of this.#listed()) ended.resolve(this.#deps.unsent());
  }

  #start(message: Admitted): Promise<TurnResult> {
    const ended = this.#add(message, false);
    this.#waiting = [...this.#held, ...this.#waiting];
    this.#held = [];
    this.#pump();
    return ended;
  }

  #add(message: Admitted, isUrgent: boolean): Promise<TurnResult> {
    const ended = new Deferred<TurnResult>();
    this.#waiting = [...this.#waiting, { message, ended, isUrgent }];
    if (this.isBusy) this.#tell();
    return ended.promise;
  }

  #pump(): void {
    this.#pumping = this.#runAll().finally(() => {
      this.#pumping = undefined;
      // Something may have arrived in the very moment the last turn ended.
      this.#resume();
    });
  }

  #resume(): void {
    const hasWork = this.#waiting.length + this.#afterTurn.length > 0;
    if (hasWork && !this.#isClosed && !this.#isPaused && this.#pumping === undefined) this.#pump();
  }

  async #runAll(): Promise<void> {
    // Without this the first turn would begin a moment after it was asked for, and others could overtake it.
    if (this.#afterTurn.length > 0) await this.#runAfterTurn();
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) {
      const turn = this.#deps.run(batch.map(({ message }) => message));
      this.#turn = turn;
      const end = await turn;
      this.#turn = undefined;
      await this.#finishSteered(end.pendingSteer);
      await this.#runAfterTurn();
      for (const { ended } of batch) ended.resolve(end);
    }
  }

  async #runAfterTurn(): Promise<void> {
    for (const work of this.#afterTurn.splice(0)) await work();
  }

  /** Urgent messages go first and together; the others one by one. */
  #take(): readonly Waiting[] {
    if (this.#isClosed || this.#isPaused) return [];
    const urgent = this.#waiting.filter((one) => one.isUrgent);
    const batch = urgent.length > 0 ? urgent : this.#waiting.slice(0, 1);
    this.#waiting = this.#waiting.filter((one) => !batch.includes(one));
    if (batch.length > 0) this.#tell();
    return batch;
  }

  /** Guidance that came too late for the turn begins the next one. */
  async #finishSteered(pending: string | undefined): Promise<void> {
    const steered = this.#steered;
    this.#steered = [];
    if (steered.length === 0) return;
    if (pending === undefined) return await this.#deps.settleSteered(steered);
    const late = trailing(steered, pending);
    await this.#deps.settleSteered(steered.filter((message) => !late.includes(message)));
    const next = late.map((message) => ({ message, ended: new Deferred<TurnResult>(), isUrgent: true }));
    this.#waiting = [...next, ...this.#waiting];
  }

  #listed(): readonly Waiting[] {
    return [...this.#held, ...this.#waiting];
  }

  #tell(): void {
    this.#deps.onQueue(this.queued);
  }
}

/** The last messages whose joined text is what was left over; all of them should the text not match. */
function trailing(messages: readonly Admitted[], text: string): readonly Admitted[] {
  for (let count = 1; count <= messages.length; count += 1) {
    const last = messages.slice(-count);
    if (last.map((message) => (message.sent ?? message.text).trim()).join("\n") === text) return last;
  }
  return messages;
}

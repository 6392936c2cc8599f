import type { ModelLibrary } from "../files/library.ts";
import { FairQueue } from "./fair-queue.ts";
import type { Engine } from "./llama.ts";
import { type LoadedModel, loadModel } from "./loaded-model.ts";
import type { Slot } from "./slot.ts";
import { ThreadPolicy } from "./threads.ts";

export interface HostOptions {
  readonly library: ModelLibrary;
  readonly maxContext?: number | undefined;
  openEngine(): Promise<Engine>;
}

export interface Turn {
  readonly model: string;
  /** Whose turn it is. */
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Keeps one model in memory and lets requests at it, a few at a time; another model replaces it when its turn comes. */
export class ModelHost implements AsyncDisposable {
  readonly #options: HostOptions;
  readonly #queue = new FairQueue<Turn>();
  #engine: Promise<Engine> | undefined;
  #threads: ThreadPolicy | undefined;
  #loaded: LoadedModel | undefined;
  #running = 0;
  #isLoading = false;
  #fault: { readonly model: string; readonly error: unknown } | undefined;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#running === 0 && this.#queue.length === 0 && !this.#isLoading;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Waits for its turn and for the model, then works in the slot that knows most of the text. */
  async run<T>(turn: Turn, work: (loaded: LoadedModel, take: (text: string) => Slot) => Promise<T>): Promise<T> {
    const granted = this.#queue.wait(turn.key, turn, turn.signal);
    void this.#advance();
    await granted;
    const taken: Slot[] = [];
    try {
      const loaded = this.#loaded;
      if (this.#fault?.model === turn.model) throw this.#fault.error;
      if (loaded === undefined || loaded.id !== turn.model) throw new Error("the model went away before its turn");
      return await work(loaded, (text) => {
        const slot = bestSlot(loaded.slots, text);
        taken.push(slot);
        return slot;
      });
    } finally {
      for (const slot of taken) slot.isBusy = false;
      this.#running -= 1;
      void this.#advance();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loaded?.[Symbol.asyncDispose]();
    this.#loaded = undefined;
    await (await this.#engine)?.[Symbol.asyncDispose]();
  }

  async #advance(): Promise<void> {
    for (let turn = this.#queue.peek(); turn !== undefined && !this.#isLoading; turn = this.#queue.peek()) {
      if (this.#loaded?.id !== turn.model) {
        if (this.#running > 0) return;
        await this.#load(turn.model);
        // The one who asked is told what went wrong; the next may have better luck.
        if (this.#fault !== undefined) this.#grant();
        continue;
      }
      if (this.#running >= this.#loaded.slots.length) return;
      this.#fault = undefined;
      await this.#shareCores();
      this.#grant();
    }
  }

  #grant(): void {
    this.#running += 1;
    this.#queue.take();
  }

  async #shareCores(): Promise<void> {
    const { llama } = await this.#openEngine();
    this.#threads ??= new ThreadPolicy(llama.cpuMathCores);
    llama.maxThreads = this.#threads.threads();
  }

  async #load(id: string): Promise<void> {
    this.#isLoading = true;
    this.#fault = undefined;
    try {
      await this.#loaded?.[Symbol.asyncDispose]();
      this.#loaded = undefined;
      const file = await this.#options.library.find(id);
      const engine = await this.#openEngine();
      this.#loaded = await loadModel(file, engine, {
        threads: engine.llama.cpuMathCores,
        maxContext: this.#options.maxContext,
      });
    } catch (error) {
      this.#fault = { model: id, error };
    } finally {
      this.#isLoading = false;
    }
  }

  #openEngine(): Promise<Engine> {
    this.#engine ??= this.#options.openEngine();
    return this.#engine;
  }
}

/** Of the free ones the slot that knows most of the text; among equals the one that rested longest. */
function bestSlot(slots: readonly Slot[], text: string): Slot {
  const free = slots.filter((slot) => !slot.isBusy);
  const [best] = [...free].sort((a, b) => b.overlap(text) - a.overlap(text) || a.usedAt - b.usedAt);
  if (best === undefined) throw new Error("no slot is free");
  best.isBusy = true;
  best.usedAt = performance.now();
  return best;
}

import type { WorkInput, WorkName, WorkOutput } from "./table.ts";

/** More than this may not be spent on the thread that also draws and streams. */
export const inlineLimitMs = 10;

export interface HeavyWorkOptions {
  /** About how long it will take; `Infinity` for what always goes off the thread. */
  readonly weightMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Runs what can take long: on the spot when it is small, otherwise where it holds nobody up. */
export interface HeavyWork {
  run<N extends WorkName>(name: N, input: WorkInput<N>, options: HeavyWorkOptions): Promise<WorkOutput<N>>;
}

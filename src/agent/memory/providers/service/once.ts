/** Something that is done at its first use and not again; a failure leaves it to the next use. */
export interface Once<T> {
  (signal: AbortSignal): Promise<T>;
  readonly hasRun: boolean;
}

export function once<T>(work: (signal: AbortSignal) => Promise<T>): Once<T> {
  let running: Promise<T> | undefined;
  const run = (signal: AbortSignal): Promise<T> => {
    running ??= work(signal).catch((error: unknown) => {
      running = undefined;
      throw error;
    });
    return running;
  };
  return Object.defineProperty(run, "hasRun", { get: () => running !== undefined }) as unknown as Once<T>;
}

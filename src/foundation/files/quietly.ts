import { describe } from "../errors.ts";
import type { Logger } from "./logger.ts";

export interface QuietOptions {
  readonly logger: Logger;
  /** When this has fired, the failure is the abort and goes on. */
  readonly signal?: AbortSignal | undefined;
  readonly level?: "debug" | "info" | "warn" | "error";
  /** What else the log should say. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Runs what may fail without stopping anything else: hooks, ledgers, cleaning up. A failure is in the log and gives undefined. */
export async function quietly<T>(
  what: string,
  run: () => T | Promise<T>,
  { logger, signal, level = "warn", fields }: QuietOptions,
): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (signal?.aborted === true) throw error;
    logger[level](`${what} failed`, { ...fields, error: describe(error) });
    return undefined;
  }
}

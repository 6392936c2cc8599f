import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";

/** Runs what may fail without failing a turn: hooks, memory, bookkeeping. Its failure is logged; an abort goes on. */
export async function quietly<T>(
  what: string,
  run: () => T | Promise<T>,
  { logger, signal }: { readonly logger: Logger; readonly signal?: AbortSignal },
): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (signal?.aborted === true) throw error;
    logger.warn(`${what} failed and was passed over`, { error: describe(error) });
    return undefined;
  }
}

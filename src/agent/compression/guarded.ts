import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";

/** What somebody else does on the side may fail: that is logged and gives nothing. Aborts pass. */
export async function guarded<T>(
  what: string,
  work: () => Promise<T> | undefined,
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    logger.warn(`${what} failed`, { error: describe(error) });
    return undefined;
  }
}

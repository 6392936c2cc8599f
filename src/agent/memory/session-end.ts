import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";

/** What happens when a session ends, in the order in which it must happen. */
export interface SessionEnd {
  /** The built-in notes: one chance to save. */
  flush(): Promise<unknown>;
  /** The provider sees the whole conversation. */
  tellProvider(): Promise<unknown>;
  /** A temporary agent's turn, where the gateway ends the session. */
  temporaryTurn?(): Promise<unknown>;
  /** Only now may the conversation go. */
  discard(): Promise<unknown>;
}

/** A step that fails is a warning and does not keep the next from running; only `discard` may fail the whole. */
export async function endSession(end: SessionEnd, logger: Logger): Promise<void> {
  await tried("flush", () => end.flush(), logger);
  await tried("provider", () => end.tellProvider(), logger);
  await tried("temporary turn", () => end.temporaryTurn?.(), logger);
  await end.discard();
}

async function tried(step: string, work: () => Promise<unknown> | undefined, logger: Logger): Promise<void> {
  try {
    await work();
  } catch (error) {
    logger.warn("a step at the end of the session failed", { step, reason: describe(error) });
  }
}

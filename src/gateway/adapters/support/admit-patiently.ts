import { describe } from "#foundation/errors";
import type { InboundMessage } from "../../platform/inbound.ts";
import type { ConnectionPorts, StreamPosition } from "../../platform/platform.ts";

export interface Patience {
  /** The connection ends. */
  readonly signal: AbortSignal;
  /** Where the platform's stream is with it. */
  readonly position?: StreamPosition | undefined;
  /** Called before every further attempt: the line is quiet because we do not read it. */
  waiting?(): void;
}

const waitsMs = [500, 1_000, 2_000, 5_000, 10_000];

/**
 * Takes in a message that its service delivers once: what cannot be written down is tried again until it is. The caller
 * reads on only then, so one message is held here and the rest stays on the line, in order. False when it was taken in
 * before.
 */
export async function admitPatiently(
  ports: Pick<ConnectionPorts, "admit" | "alive" | "clock" | "logger">,
  message: InboundMessage,
  { signal, position, waiting }: Patience,
): Promise<boolean> {
  const { platform } = message.source;
  for (let failures = 0; ; ) {
    try {
      const isNew = await ports.admit(message, position);
      if (failures > 0) ports.logger.info("the message that waited is written down", { platform, failures });
      return isNew;
    } catch (error) {
      const facts = { platform, failures: failures + 1, error: describe(error) };
      if (signal.aborted) {
        const what = position === undefined ? "a message is lost" : "a message must be asked for again";
        ports.logger.error(`${what}: the connection ended before it could be written down`, facts);
        return false;
      }
      ports.logger.error("a message cannot be written down; it is kept and tried again", facts);
    }
    waiting?.();
    ports.alive();
    await ports.clock.sleep(waitsMs[Math.min(failures, waitsMs.length - 1)] ?? 0, signal).catch(() => undefined);
    failures += 1;
  }
}

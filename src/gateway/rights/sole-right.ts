import type { Logger } from "#foundation/files/logger";
import { linkSignals } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import { type Store, takeLease } from "#store";

export interface SoleRightDeps {
  readonly store: Pick<Store, "leases">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Names this process in leases. */
  readonly owner: string;
  /** How long a holder that is not heard of keeps the right. */
  readonly ttlMs?: number;
  /** Another process has it; this one stands by. */
  onWaiting?(): void;
  /** It was taken from this process, or cannot be made sure of any more. */
  onLost?(name: string): void;
}

const lookEveryMs = 5_000;

/** By what name one process has the right to send for an account. */
export function senderLease(platform: string, account: string): string {
  return `sender:${platform}:${account}`;
}

/**
 * Does the work in one process at a time, among all on the store: waits for the right, stops when it is lost or cannot be
 * made sure of any more, and waits again. Ends when the work does by itself, or with the signal.
 */
export async function whileAlone(
  name: string,
  { deps, signal }: { readonly deps: SoleRightDeps; readonly signal: AbortSignal },
  work: (during: AbortSignal) => Promise<void>,
): Promise<void> {
  const { clock, onWaiting } = deps;
  let isWaiting = false;
  while (!signal.aborted) {
    const lost = new AbortController();
    const lease = await takeLease({ ...deps, onDoubt: () => lost.abort() }, name, () => lost.abort());
    if (lease.kind === "held" && lease.fence !== undefined) {
      isWaiting = false;
      await using _held = lease;
      await work(linkSignals(signal, lost.signal));
      if (!lost.signal.aborted) return;
      deps.onLost?.(name);
    } else if (!isWaiting) {
      isWaiting = true;
      onWaiting?.();
    }
    await clock.sleep(lookEveryMs, signal).catch(() => undefined);
  }
}

import type { SharedRun } from "#environments";
import { UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import { leaseOwner, type Store, takeLease } from "#store";

interface SharedRunDeps<Outcome> {
  /** Names the run among all of its kind. */
  readonly runName: string;
  readonly kind: "batch" | "evaluation" | "groups";
  isOutcome(value: unknown): value is Outcome;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * A run on a database that several machines share. A piece in hand is a lease, so what a dead machine had comes back by
 * itself; a piece that is done is a document, written once.
 */
export function sharedRun<Outcome>(store: Store, deps: SharedRunDeps<Outcome>): SharedRun<Outcome> {
  const { runName, clock, logger, isOutcome } = deps;
  const kind = `${deps.kind}:${runName}`;
  const owner = leaseOwner();
  return {
    async claim(key) {
      const lease = await takeLease({ store, clock, logger, owner }, `${kind}:${key}`, () =>
        logger.warn("another machine took over a piece of this run", { run: runName, key }),
      );
      if (lease.kind === "busy") return undefined;
      if (lease.fence === undefined)
        throw new UserError("The database that this run is shared over does not answer.", {
          hint: "Start the same command again when it does; finished work is kept.",
          code: "store_unavailable",
        });
      return lease;
    },
    async outcome(key) {
      const found = (await store.documents.get(kind, key))?.value;
      return isOutcome(found) ? found : undefined;
    },
    finish: (key, outcome) =>
      store.transaction(async (tx) => {
        if ((await tx.documents.get(kind, key)) !== undefined) return false;
        await tx.documents.put({ kind, key, value: outcome });
        return true;
      }),
    forget: async (key) => void (await store.documents.remove(kind, key)),
  };
}

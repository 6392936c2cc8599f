import type { PromptOutcome, SharedRun } from "#environments";
import { UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { isRecord } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import { leaseOwner, type Store, takeLease } from "#store";

interface SharedRunDeps {
  readonly runName: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * A run on a database that several machines share. A prompt in hand is a lease, so what a dead machine had comes back by
 * itself; a prompt that is done is a document, written once.
 */
export function sharedRun(store: Store, { runName, clock, logger }: SharedRunDeps): SharedRun {
  const kind = `batch:${runName}`;
  const owner = leaseOwner();
  return {
    async claim(key) {
      const lease = await takeLease({ store, clock, logger, owner }, `${kind}:${key}`, () =>
        logger.warn("another machine took over a prompt", { run: runName, key }),
      );
      if (lease.kind === "busy") return undefined;
      if (lease.fence === undefined)
        throw new UserError("The database that this run is shared over does not answer.", {
          hint: "Start the same command again when it does; what is done stays done.",
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

function isOutcome(value: unknown): value is PromptOutcome {
  return isRecord(value) && isRecord(value["facts"]) && typeof value["facts"]["prompt_index"] === "number";
}

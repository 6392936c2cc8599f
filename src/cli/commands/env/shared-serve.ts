import { isAttemptedGroup, isBoard, type SharedServe } from "#environments";
import { UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import { leaseHolder, leaseOwner, type Store, takeLease } from "#store";
import { sharedRun } from "../batch/shared-run.ts";

/** Machines that feed one trainer meet in the database: who leads is a lease, what is wanted a document that only the leader may write. */
export function sharedServe(
  store: Store,
  deps: { readonly runName: string; readonly clock: Clock; readonly logger: Logger },
): SharedServe {
  const { clock, logger, runName } = deps;
  const kind = `serve:${runName}`;
  const owner = leaseOwner();
  const leaseDeps = { store, clock, logger, owner };
  const leadName = `${kind}:lead`;
  const helperNames = `${kind}:helper:`;
  return {
    groups: sharedRun(store, { runName, kind: "groups", isOutcome: isAttemptedGroup, clock, logger }),
    async lead(onLost) {
      const lease = await takeLease(leaseDeps, leadName, onLost);
      if (lease.kind === "busy") return undefined;
      const { fence } = lease;
      if (fence === undefined)
        throw new UserError("The database that this run is shared over does not answer.", {
          hint: "Start the same command again when it does; finished work is kept.",
          code: "store_unavailable",
        });
      return {
        post: (board) => store.transaction((tx) => tx.documents.put({ kind, key: "board", value: board }), { fence }),
        [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
      };
    },
    isLed: async () => (await leaseHolder(leaseDeps, leadName)) !== undefined,
    async board() {
      const found = (await store.documents.get(kind, "board"))?.value;
      return isBoard(found) ? found : undefined;
    },
    async help() {
      const lease = await takeLease(leaseDeps, `${helperNames}${owner}`, () => undefined);
      return lease.kind === "busy" ? { [Symbol.asyncDispose]: () => Promise.resolve() } : lease;
    },
    helpers: async () => (await store.leases.held(helperNames)).length,
  };
}

import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { describe, systemErrorCode } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import type { Fence, Lease, Store } from "#store";

const ttlMs = 30_000;
const renewEveryMs = 10_000;

export interface TurnLeaseDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly owner: string;
}

export type TurnLease =
  /** Without a fence: the store could not be asked, and nothing keeps others out. */
  | ({ readonly kind: "held"; readonly fence: Fence | undefined } & AsyncDisposable)
  | { readonly kind: "busy"; readonly owner: string };

/** Names this program among all that share the store; the process number lets a dead holder be recognised. */
export function leaseOwner(): string {
  return `${hostname()}/${process.pid}/${randomBytes(4).toString("hex")}`;
}

/**
 * The right to run a turn of a conversation, among all programs on one store. A holder that died is
 * replaced at once when it ran on this machine, otherwise when its time is up. A store that fails does
 * not stop the turn: then the turn goes on without the right.
 */
export async function takeTurnLease(deps: TurnLeaseDeps, name: string, onLost: () => void): Promise<TurnLease> {
  const { store, logger, owner } = deps;
  try {
    let outcome = await store.leases.acquire(name, owner, ttlMs);
    if (outcome.kind === "busy" && (await releaseOfDead(deps, name)))
      outcome = await store.leases.acquire(name, owner, ttlMs);
    if (outcome.kind === "busy") return { kind: "busy", owner: outcome.owner };
    return held(deps, outcome.lease, onLost);
  } catch (error) {
    logger.error("the turn lease could not be taken; going on without it", { name, error: describe(error) });
    return { kind: "held", fence: undefined, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
}

function held(deps: TurnLeaseDeps, lease: Lease, onLost: () => void): TurnLease {
  const { store, clock, logger } = deps;
  const stop = new AbortController();
  const renewing = (async () => {
    for (;;) {
      await clock.sleep(renewEveryMs, stop.signal);
      if (await store.leases.renew(lease, ttlMs)) continue;
      logger.error("another program took over this conversation", { lease: lease.name });
      onLost();
      return;
    }
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) logger.warn("the turn lease is no longer renewed", { error: describe(error) });
  });
  return {
    kind: "held",
    fence: lease,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await renewing;
      try {
        await store.leases.release(lease);
      } catch (error) {
        logger.warn("the turn lease was not given back; it runs out by itself", { error: describe(error) });
      }
    },
  };
}

async function releaseOfDead({ store }: TurnLeaseDeps, name: string): Promise<boolean> {
  const lease = await store.leases.get(name);
  if (lease === undefined) return true;
  const [host, pid] = lease.owner.split("/");
  if (host !== hostname() || isAlive(Number(pid))) return false;
  await store.leases.release(lease);
  return true;
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) !== "ESRCH";
  }
}

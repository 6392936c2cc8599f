import { randomBytes } from "node:crypto";
import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { quietly } from "#foundation/files/quietly";
import { isAbort } from "#foundation/lifecycle/abort";
import { isAlive } from "#foundation/process/alive";
import type { Clock } from "#foundation/time/clock";
import type { Fence, Lease } from "./records/gateway.ts";
import type { Store } from "./store.ts";

const usualTtlMs = 30_000;

export interface LeaseDeps {
  readonly store: Pick<Store, "leases">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly owner: string;
  /** After that long without a renewal it is over; it is renewed three times as often. */
  readonly ttlMs?: number | undefined;
  /** The store could not be asked for so long that somebody else may hold it soon. */
  onDoubt?(): void;
}

export type HeldLease =
  /** Without a fence: the store could not be asked, and nothing keeps others out. */
  | ({ readonly kind: "held"; readonly fence: Fence | undefined } & AsyncDisposable)
  | { readonly kind: "busy"; readonly owner: string };

/** Names this program among all that share the store; the process number lets a dead holder be recognised. */
export function leaseOwner(): string {
  return `${machine()}/${process.pid}/${randomBytes(4).toString("hex")}`;
}

/** Where process numbers mean the same: containers may share a host's name and still count for themselves. */
function machine(): string {
  const namespace = process.platform === "linux" ? pidNamespace() : "";
  return namespace === "" ? hostname() : `${hostname()}~${namespace}`;
}

function pidNamespace(): string {
  try {
    return /\d+/u.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "";
  } catch {
    // Without /proc the name of the host is all there is.
    return "";
  }
}

/**
 * The right to do something alone, among all programs on one store: to run a turn, to serve a chat. It is renewed until
 * it is given back. A holder that died is replaced at once when it ran on this machine, otherwise when its time is up.
 * A store that fails gives a right without a fence: whoever cannot go on without one looks at that.
 */
export async function takeLease(deps: LeaseDeps, name: string, onLost: () => void): Promise<HeldLease> {
  const { store, logger, owner, ttlMs = usualTtlMs } = deps;
  try {
    let outcome = await store.leases.acquire(name, owner, ttlMs);
    if (outcome.kind === "busy" && (await releaseOfDead(deps, name)))
      outcome = await store.leases.acquire(name, owner, ttlMs);
    if (outcome.kind === "busy") return { kind: "busy", owner: outcome.owner };
    return held(deps, outcome.lease, onLost);
  } catch (error) {
    logger.error("a lease could not be taken", { name, error: describe(error) });
    return { kind: "held", fence: undefined, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
}

function held(deps: LeaseDeps, lease: Lease, onLost: () => void): HeldLease {
  const { store, clock, logger, onDoubt, ttlMs = usualTtlMs } = deps;
  const renewEveryMs = ttlMs / 3;
  const stop = new AbortController();
  const renewing = (async () => {
    for (let lastsUntilMs = clock.now() + ttlMs; ; ) {
      await clock.sleep(renewEveryMs, stop.signal);
      const renewal = await store.leases.renew(lease, ttlMs).catch((error: unknown) => describe(error));
      if (renewal === true) lastsUntilMs = clock.now() + ttlMs;
      if (typeof renewal === "string") {
        // As long as nobody else took it, it is ours when the store can be asked again.
        logger.warn("a lease could not be renewed", { lease: lease.name, error: renewal });
        if (clock.now() + renewEveryMs >= lastsUntilMs) onDoubt?.();
      }
      if (renewal !== false) continue;
      logger.error("another program took over what this one held", { lease: lease.name });
      onLost();
      return;
    }
  })().catch((error: unknown) => {
    if (!isAbort(error)) throw error;
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
        logger.warn("a lease was not given back; it runs out by itself", { error: describe(error) });
      }
    },
  };
}

/** Who holds it now, where that can be told. */
export async function leaseHolder({ store, clock, logger }: LeaseDeps, name: string): Promise<string | undefined> {
  const get = () => store.leases.get(name);
  const lease = await quietly("looking who holds a lease", get, { logger });
  return isLeft(lease, clock.now()) ? undefined : lease?.owner;
}

async function releaseOfDead({ store }: LeaseDeps, name: string): Promise<boolean> {
  const lease = await store.leases.get(name);
  if (lease === undefined) return true;
  if (!isOfDead(lease)) return false;
  await store.leases.release(lease);
  return true;
}

/** Nobody holds it any more: its time is up, or its holder ran on this machine and has ended. */
export function isLeft(lease: Lease | undefined, nowMs: number): boolean {
  return lease === undefined || lease.expiresAtMs <= nowMs || isOfDead(lease);
}

function isOfDead({ owner }: Lease): boolean {
  const [host, pid] = owner.split("/");
  return host === machine() && !isAlive(Number(pid));
}

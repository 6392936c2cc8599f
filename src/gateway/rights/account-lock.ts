import { createHash } from "node:crypto";
import { type SoleRightDeps, whileAlone } from "./sole-right.ts";
import { withTokenLock } from "./token-lock.ts";

export interface AccountLockDeps extends Omit<SoleRightDeps, "store"> {
  readonly store: SoleRightDeps["store"] & { readonly kind: string };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Longer than other leases: whoever loses it has two thirds of that time to disconnect before another connects. */
const ttlMs = 60_000;

/**
 * Works while no other process uses the credential. On one machine a second user of it is a mistake and is told so; where
 * processes share a server it stands by, and takes over when the first is gone.
 */
export async function withAccountLock(
  lock: { readonly scope: string; readonly identity: string } | undefined,
  { deps, signal }: { readonly deps: AccountLockDeps; readonly signal: AbortSignal },
  work: (during: AbortSignal) => Promise<void>,
): Promise<void> {
  const isShared = deps.store.kind === "postgres";
  if (!isShared) return await withTokenLock(lock, { env: deps.env, signal }, () => work(signal));
  if (lock === undefined || lock.identity === "") return await work(signal);
  const hash = createHash("sha256").update(lock.identity).digest("hex").slice(0, 16);
  await whileAlone(`adapter:${lock.scope}:${hash}`, { deps: { ...deps, ttlMs }, signal }, work);
}

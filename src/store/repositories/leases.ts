import type { Database } from "../database.ts";
import type { Fence, Lease, LeaseOutcome } from "../records/gateway.ts";
import { toLease } from "../rows/gateway.ts";
import type { Leases } from "../store.ts";
import type { RepositoryContext } from "./context.ts";

/** One holder per name at a time. The row stays when a lease ends, because its fence must keep growing. */
export class LeaseRepository implements Leases {
  readonly #context: RepositoryContext;

  constructor(context: RepositoryContext) {
    this.#context = context;
  }

  async acquire(name: string, owner: string, ttlMs: number): Promise<LeaseOutcome> {
    const nowMs = this.#context.clock.now();
    return await this.#context.db.transaction(async (tx): Promise<LeaseOutcome> => {
      const held = await tx.get(
        `INSERT INTO gw_lease (name, owner, fence, expires_at_ms) VALUES (?, ?, 1, ?)
         ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, fence = gw_lease.fence + 1,
           expires_at_ms = excluded.expires_at_ms
         WHERE gw_lease.expires_at_ms <= ? OR gw_lease.owner = excluded.owner RETURNING *`,
        [name, owner, nowMs + ttlMs, nowMs],
      );
      if (held !== undefined) return { kind: "held", lease: toLease(held) };
      const other = await tx.get("SELECT * FROM gw_lease WHERE name = ?", [name]);
      const lease = other === undefined ? undefined : toLease(other);
      return { kind: "busy", owner: lease?.owner ?? "", expiresAtMs: lease?.expiresAtMs ?? nowMs };
    });
  }

  async renew(lease: Fence, ttlMs: number): Promise<boolean> {
    const changed = await this.#context.db.run(
      "UPDATE gw_lease SET expires_at_ms = ? WHERE name = ? AND owner = ? AND fence = ?",
      [this.#context.clock.now() + ttlMs, lease.name, lease.owner, lease.fence],
    );
    return changed === 1;
  }

  async release(lease: Fence): Promise<void> {
    await this.#context.db.run("UPDATE gw_lease SET expires_at_ms = 0 WHERE name = ? AND owner = ? AND fence = ?", [
      lease.name,
      lease.owner,
      lease.fence,
    ]);
  }

  isHeld(lease: Fence): Promise<boolean> {
    return isFenceCurrent(this.#context.db, lease);
  }

  async get(name: string): Promise<Lease | undefined> {
    const row = await this.#context.db.get("SELECT * FROM gw_lease WHERE name = ?", [name]);
    return row === undefined ? undefined : toLease(row);
  }

  async ownedBy(owner: string, prefix: string): Promise<readonly Lease[]> {
    const { db } = this.#context;
    const rows = await db.all(
      `SELECT * FROM gw_lease WHERE owner = ? AND expires_at_ms > 0 AND substr(name, 1, ?) = ? ORDER BY name${db.dialect.forUpdate}`,
      [owner, prefix.length, prefix],
    );
    return rows.map(toLease);
  }

  async held(prefix: string): Promise<readonly Lease[]> {
    const nowMs = this.#context.clock.now();
    return (await this.kept(prefix)).filter(({ expiresAtMs }) => expiresAtMs > nowMs);
  }

  async kept(prefix: string): Promise<readonly Lease[]> {
    const rows = await this.#context.db.all(
      "SELECT * FROM gw_lease WHERE substr(name, 1, ?) = ? AND expires_at_ms > 0 ORDER BY name",
      [prefix.length, prefix],
    );
    return rows.map(toLease);
  }

  async prune(expiredBeforeMs: number): Promise<number> {
    return await this.#context.db.run("DELETE FROM gw_lease WHERE expires_at_ms < ?", [expiredBeforeMs]);
  }
}

/**
 * Whether nobody has acquired the lease since. Time does not matter here: a holder that is late but was
 * not replaced may finish its write. The row is locked, so nobody can take over before the transaction ends.
 */
export async function isFenceCurrent(db: Database, lease: Fence): Promise<boolean> {
  const row = await db.get(
    `SELECT fence FROM gw_lease WHERE name = ? AND owner = ? AND fence = ?${db.dialect.forUpdate}`,
    [lease.name, lease.owner, lease.fence],
  );
  return row !== undefined;
}

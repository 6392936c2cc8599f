import {
  type CeilingReached,
  type Ceilings,
  isReached,
  limitsOf,
  type MoneyLedger,
  type PlannedCall,
  reservationLifeMs,
  type SettledCall,
  type Spending,
} from "#conversation";
import type { Database, SqlValue } from "../database.ts";
import { number, orNull } from "../row.ts";
import type { RepositoryContext } from "./context.ts";

type SpentBy = Parameters<MoneyLedger["spent"]>[0];

const ledgerLock = "usage.ledger";

/** The account of all model calls, one for every program on the store. */
export class MoneyRepository implements MoneyLedger {
  readonly #context: RepositoryContext;

  constructor(context: RepositoryContext) {
    this.#context = context;
  }

  async hold(id: string, call: PlannedCall, ceilings: Ceilings): Promise<readonly CeilingReached[]> {
    const nowMs = this.#context.clock.now();
    return await this.#context.db.transaction(async (tx) => {
      await lockLedger(tx);
      const reached: CeilingReached[] = [];
      for (const { ceiling, limitUsd, by } of limitsOf(call.spender, ceilings)) {
        const { usd } = await spentBy(tx, by, nowMs);
        // What a session cost before calls were accounted for one by one stands in its row.
        const before = ceiling === "session" ? await costOfRow(tx, call.spender.sessionId) : 0;
        const spentUsd = Math.max(usd, before);
        if (isReached(limitUsd, spentUsd, call.usd)) reached.push({ ceiling, limitUsd, spentUsd });
      }
      if (reached.length === 0 || !ceilings.isHard) await insert(tx, id, { call, nowMs });
      return reached;
    });
  }

  async settle(id: string, call: SettledCall): Promise<void> {
    const { usage, cost } = call;
    const nowMs = this.#context.clock.now();
    await this.#context.db.transaction(async (tx) => {
      await insert(tx, id, { call, nowMs });
      await tx.run(
        `UPDATE usage_ledger SET status = 'settled', cost_usd = ?, cost_status = ?, input_tokens = ?, output_tokens = ?,
           cache_read_tokens = ?, cache_write_tokens = ?, reasoning_tokens = ?, is_estimated = ?
         WHERE id = ? AND status = 'reserved'`,
        [
          orNull(cost.usd),
          cost.status,
          usage.input,
          usage.output,
          usage.cacheRead,
          usage.cacheWrite,
          usage.reasoning,
          usage.isEstimated === true ? 1 : 0,
          id,
        ],
      );
    });
  }

  async release(id: string): Promise<void> {
    await this.#context.db.run("DELETE FROM usage_ledger WHERE id = ? AND status = 'reserved'", [id]);
  }

  spent(by: SpentBy): Promise<Spending> {
    return spentBy(this.#context.db, by, this.#context.clock.now());
  }
}

/** Two processes that set money aside at once must not both see room for one. */
async function lockLedger(tx: Database): Promise<void> {
  await tx.run("INSERT INTO state_meta (key, value) VALUES (?, '') ON CONFLICT (key) DO NOTHING", [ledgerLock]);
  await tx.get(`SELECT key FROM state_meta WHERE key = ?${tx.dialect.forUpdate}`, [ledgerLock]);
}

/** Nothing happens where the call has its entry already. */
async function insert(
  tx: Database,
  id: string,
  { call, nowMs }: { readonly call: PlannedCall; readonly nowMs: number },
): Promise<void> {
  const { spender, purpose, provider, model, usd } = call;
  const { sessionId, treeId, userId } = spender;
  await tx.run(
    `INSERT INTO usage_ledger (id, session_id, root_session_id, user_id, purpose, provider, model, status,
       created_at_ms, expires_at_ms, reserved_usd) VALUES (?, ?, ?, ?, ?, ?, ?, 'reserved', ?, ?, ?)
     ON CONFLICT (id) DO NOTHING`,
    [
      id,
      sessionId,
      treeId ?? sessionId,
      orNull(userId),
      purpose,
      provider,
      model,
      nowMs,
      nowMs + reservationLifeMs,
      usd,
    ],
  );
}

/** A settled call of unknown price counts with what was set aside for it: never as nothing. */
async function spentBy(db: Database, by: SpentBy, nowMs: number): Promise<Spending> {
  const conditions = ["(status = 'settled' OR expires_at_ms > ?)"];
  const params: SqlValue[] = [nowMs];
  for (const [condition, value] of [
    ["session_id = ?", by.sessionId],
    ["root_session_id = ?", by.treeId],
    ["user_id = ?", by.userId],
    ["created_at_ms >= ?", by.sinceMs],
  ] as const) {
    if (value === undefined) continue;
    conditions.push(condition);
    params.push(value);
  }
  const row = await db.get(
    `SELECT sum(coalesce(cost_usd, reserved_usd)) AS usd, count(*) AS calls,
       sum(CASE WHEN status = 'settled' AND cost_usd IS NULL THEN 1 ELSE 0 END) AS unpriced,
       sum(coalesce(is_estimated, 0)) AS estimated
     FROM usage_ledger WHERE ${conditions.join(" AND ")}`,
    params,
  );
  if (row === undefined) return { usd: 0, calls: 0, unpricedCalls: 0, estimatedCalls: 0 };
  return {
    usd: number(row, "usd"),
    calls: number(row, "calls"),
    unpricedCalls: number(row, "unpriced"),
    estimatedCalls: number(row, "estimated"),
  };
}

async function costOfRow(tx: Database, sessionId: string): Promise<number> {
  const row = await tx.get(
    "SELECT coalesce(estimated_cost_usd, 0) + coalesce(actual_cost_usd, 0) AS usd FROM sessions WHERE id = ?",
    [sessionId],
  );
  return row === undefined ? 0 : number(row, "usd");
}

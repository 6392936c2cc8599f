import type { SessionId } from "#conversation";
import { newId } from "#foundation/text/ids";
import { ensureSession } from "../append.ts";
import type { Database, SqlValue } from "../database.ts";
import type {
  Ceilings,
  NewReservation,
  Reservation,
  Settlement,
  SideCallRecord,
  Spending,
  SpendScope,
  UsageChange,
} from "../records/turn.ts";
import { number, orNull } from "../row.ts";
import type { UsageLedger } from "../store.ts";
import type { RepositoryContext } from "./context.ts";

const ledgerLock = "usage.ledger";

export class UsageRepository implements UsageLedger {
  readonly #context: RepositoryContext;

  constructor(context: RepositoryContext) {
    this.#context = context;
  }

  async change(sessionId: SessionId, change: UsageChange, mode: "add" | "set" = "add"): Promise<void> {
    const counters: [string, number | undefined][] = [
      ["input_tokens", change.usage.input],
      ["output_tokens", change.usage.output],
      ["cache_read_tokens", change.usage.cacheRead],
      ["cache_write_tokens", change.usage.cacheWrite],
      ["reasoning_tokens", change.usage.reasoning],
      ["api_call_count", change.apiCalls],
      ["estimated_cost_usd", change.estimatedCostUsd],
      ["actual_cost_usd", change.actualCostUsd],
    ];
    const supplied = counters.filter((entry): entry is [string, number] => entry[1] !== undefined);
    const newest: [string, SqlValue][] = [
      ["cost_status", orNull(change.costStatus)],
      ["cost_source", orNull(change.costSource)],
      ["pricing_version", orNull(change.pricingVersion)],
    ];
    const first: [string, SqlValue][] = [
      ["model", orNull(change.model)],
      ["billing_provider", orNull(change.billingProvider)],
      ["billing_base_url", orNull(change.billingBaseUrl)],
      ["billing_mode", orNull(change.billingMode)],
    ];
    const assignments = [
      ...supplied.map(([column]) => (mode === "add" ? `${column} = coalesce(${column}, 0) + ?` : `${column} = ?`)),
      ...newest.map(([column]) => `${column} = coalesce(?, ${column})`),
      ...first.map(([column]) => `${column} = coalesce(${column}, ?)`),
    ];
    await this.#context.db.transaction(async (tx) => {
      await ensureSession({ db: tx, clock: this.#context.clock }, sessionId, "unknown");
      await tx.run(`UPDATE sessions SET ${assignments.join(", ")} WHERE id = ?`, [
        ...[...supplied, ...newest, ...first].map(([, value]) => value),
        sessionId,
      ]);
    });
  }

  async reserve(reservation: NewReservation, ceilings: Ceilings): Promise<Reservation> {
    return await this.#context.db.transaction(async (tx): Promise<Reservation> => {
      await lockLedger(tx);
      const { sessionId, rootSessionId } = reservation;
      const checks = [
        { ceiling: "session", limitUsd: ceilings.sessionUsd, scope: { sessionId } },
        { ceiling: "tree", limitUsd: ceilings.treeUsd, scope: { rootSessionId } },
        { ceiling: "day", limitUsd: ceilings.dayUsd, scope: { sinceMs: ceilings.dayStartMs } },
      ] as const;
      for (const { ceiling, limitUsd, scope } of checks) {
        if (limitUsd === undefined) continue;
        const { usd } = await spentIn(tx, scope, this.#context.clock.now());
        if (usd + reservation.usd > limitUsd) return { kind: "refused", ceiling, limitUsd, spentUsd: usd };
      }
      const id = newId("rsv");
      await tx.run(
        `INSERT INTO usage_ledger (id, session_id, root_session_id, purpose, provider, model, status, created_at_ms,
           expires_at_ms, reserved_usd) VALUES (?, ?, ?, ?, ?, ?, 'reserved', ?, ?, ?)`,
        [
          id,
          sessionId,
          rootSessionId,
          reservation.purpose,
          orNull(reservation.provider),
          orNull(reservation.model),
          this.#context.clock.now(),
          reservation.expiresAtMs,
          reservation.usd,
        ],
      );
      return { kind: "reserved", id };
    });
  }

  async settle(reservationId: string, settlement: Settlement): Promise<void> {
    const { usage } = settlement;
    await this.#context.db.run(
      `UPDATE usage_ledger SET status = 'settled', cost_usd = ?, cost_status = ?, input_tokens = ?, output_tokens = ?,
         cache_read_tokens = ?, cache_write_tokens = ?, reasoning_tokens = ? WHERE id = ? AND status = 'reserved'`,
      [
        orNull(settlement.usd),
        settlement.costStatus,
        usage.input,
        usage.output,
        usage.cacheRead,
        usage.cacheWrite,
        usage.reasoning,
        reservationId,
      ],
    );
  }

  async release(reservationId: string): Promise<void> {
    await this.#context.db.run("DELETE FROM usage_ledger WHERE id = ? AND status = 'reserved'", [reservationId]);
  }

  async noteSideCall({ sessionId, task, provider, model, usage, usd, costStatus }: SideCallRecord): Promise<void> {
    const nowMs = this.#context.clock.now();
    await this.#context.db.run(
      `INSERT INTO usage_ledger (id, session_id, root_session_id, purpose, provider, model, status, created_at_ms,
         expires_at_ms, reserved_usd, cost_usd, cost_status, input_tokens, output_tokens, cache_read_tokens,
         cache_write_tokens, reasoning_tokens) VALUES (?, ?, ?, ?, ?, ?, 'settled', ?, ?, 0, ?, ?, ?, ?, ?, ?, ?)`,
      [
        newId("sid"),
        sessionId,
        sessionId,
        task,
        provider,
        model,
        nowMs,
        nowMs,
        orNull(usd),
        costStatus,
        usage.input,
        usage.output,
        usage.cacheRead,
        usage.cacheWrite,
        usage.reasoning,
      ],
    );
  }

  spent(scope: Partial<SpendScope> & { sinceMs?: number }): Promise<Spending> {
    return spentIn(this.#context.db, scope, this.#context.clock.now());
  }
}

/** Two processes that reserve at once must not both see room for one. */
async function lockLedger(tx: Database): Promise<void> {
  await tx.run("INSERT INTO state_meta (key, value) VALUES (?, '') ON CONFLICT (key) DO NOTHING", [ledgerLock]);
  await tx.get(`SELECT key FROM state_meta WHERE key = ?${tx.dialect.forUpdate}`, [ledgerLock]);
}

/** A settled call of unknown price counts with what was reserved for it: never as nothing. */
async function spentIn(
  db: Database,
  scope: { sessionId?: string; rootSessionId?: string; sinceMs?: number },
  nowMs: number,
): Promise<Spending> {
  const conditions = ["(status = 'settled' OR expires_at_ms > ?)"];
  const params: SqlValue[] = [nowMs];
  for (const [condition, value] of [
    ["session_id = ?", scope.sessionId],
    ["root_session_id = ?", scope.rootSessionId],
    ["created_at_ms >= ?", scope.sinceMs],
  ] as const) {
    if (value === undefined) continue;
    conditions.push(condition);
    params.push(value);
  }
  const row = await db.get(
    `SELECT sum(coalesce(cost_usd, reserved_usd)) AS usd, count(*) AS calls,
       sum(CASE WHEN status = 'settled' AND cost_usd IS NULL THEN 1 ELSE 0 END) AS unpriced
     FROM usage_ledger WHERE ${conditions.join(" AND ")}`,
    params,
  );
  if (row === undefined) return { usd: 0, calls: 0, unpricedCalls: 0 };
  return { usd: number(row, "usd"), calls: number(row, "calls"), unpricedCalls: number(row, "unpriced") };
}

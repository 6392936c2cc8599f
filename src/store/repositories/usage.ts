import type { SessionId } from "#conversation";
import { ensureSession } from "../append.ts";
import type { SqlValue } from "../database.ts";
import type { UsageChange } from "../records/turn.ts";
import { orNull } from "../row.ts";
import type { UsageLedger } from "../store.ts";
import type { RepositoryContext } from "./context.ts";

export class UsageRepository implements UsageLedger {
  readonly #context: RepositoryContext;

  constructor(context: RepositoryContext) {
    this.#context = context;
  }

  async change(sessionId: SessionId, change: UsageChange): Promise<void> {
    const counters: [string, number | undefined][] = [
      ["input_tokens", change.usage.input],
      ["output_tokens", change.usage.output],
      ["cache_read_tokens", change.usage.cacheRead],
      ["cache_write_tokens", change.usage.cacheWrite],
      ["reasoning_tokens", change.usage.reasoning],
      ["api_call_count", change.apiCalls],
      ["estimated_calls", change.usage.isEstimated === true ? (change.apiCalls ?? 1) : undefined],
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
      ...supplied.map(([column]) => `${column} = coalesce(${column}, 0) + ?`),
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
}

import type { Cost, Usage } from "./usage.ts";

/** Whose money a call spends. */
export interface Spender {
  /** The conversation, by its first session: a compressed one goes on in the same account. */
  readonly sessionId: string;
  readonly userId?: string | undefined;
  /** The session at the root of a delegation. */
  readonly treeId?: string | undefined;
}

/** Where a limit holds: one conversation, one delegated task with all below it, one person's day, everybody's day. */
export type Ceiling = "session" | "tree" | "user" | "day";

/** The limits in force, in dollars; one that is absent does not exist. */
export interface Ceilings extends Readonly<Partial<Record<Ceiling, number | undefined>>> {
  /** Nothing is set aside for a call that would pass one. */
  readonly isHard: boolean;
  /** When the day began that the last two count. */
  readonly dayStartMs: number;
}

export interface CeilingReached {
  readonly ceiling: Ceiling;
  /** Dollars spent and set aside before this call. */
  readonly spentUsd: number;
  readonly limitUsd: number;
}

/** A model call before it is made. */
export interface PlannedCall {
  readonly spender: Spender;
  /** `main`, or the task of a side call. */
  readonly purpose: string;
  readonly provider: string;
  readonly model: string;
  /** What it will probably cost. */
  readonly usd: number;
}

/** A model call that is over. Without a known price it counts as what was planned, never as nothing. */
export interface SettledCall extends PlannedCall {
  readonly usage: Usage;
  readonly cost: Cost;
}

export interface Spending {
  /** Settled and set aside, in dollars. */
  readonly usd: number;
  readonly calls: number;
  /** Settled calls whose price nobody knew; they are in `usd` as they were planned. */
  readonly unpricedCalls: number;
  /** Settled calls whose tokens the server did not count, so that Hermes did. */
  readonly estimatedCalls: number;
}

/** Money that was set aside this long ago belongs to a process that died, and is free again. */
export const reservationLifeMs = 2 * 3_600_000;

/**
 * The account of all model calls. Checking and setting aside are one step, also among processes: two calls at the same
 * time never both fit into room for one.
 */
export interface MoneyLedger {
  /** Sets money aside under this id unless a hard limit is in the way; says which limits are reached. */
  hold(id: string, call: PlannedCall, ceilings: Ceilings): Promise<readonly CeilingReached[]>;
  /** Accounts for a call; also for one for which nothing was set aside. */
  settle(id: string, call: SettledCall): Promise<void>;
  /** The call was not made. */
  release(id: string): Promise<void>;
  spent(by: { readonly sinceMs?: number } & Partial<Spender>): Promise<Spending>;
}

/** A limit is in the way when it is reached already, or when this call would pass it. */
export function isReached(limitUsd: number, spentUsd: number, callUsd: number): boolean {
  // Sums of dollars are not exact; a billionth more is the same amount.
  return spentUsd >= limitUsd || spentUsd + callUsd > limitUsd + 1e-9;
}

/** Which calls each limit counts. A limit on something this call does not belong to is none. */
export function limitsOf(
  { sessionId, treeId, userId }: Spender,
  ceilings: Ceilings,
): readonly {
  readonly ceiling: Ceiling;
  readonly limitUsd: number;
  readonly by: Parameters<MoneyLedger["spent"]>[0];
}[] {
  const { dayStartMs: sinceMs } = ceilings;
  const scopes = [
    ["session", { sessionId }],
    ["tree", treeId === undefined ? undefined : { treeId }],
    ["user", userId === undefined ? undefined : { userId, sinceMs }],
    ["day", { sinceMs }],
  ] as const;
  return scopes.flatMap(([ceiling, by]) => {
    const limitUsd = ceilings[ceiling];
    return limitUsd === undefined || by === undefined ? [] : [{ ceiling, limitUsd, by }];
  });
}

import type { Spender } from "#conversation";
import { shortDuration } from "#foundation/text/figures";
import type { Clock } from "#foundation/time/clock";
import {
  type AccountLine,
  type BudgetGate,
  describeRateLimits,
  describeStanding,
  type ProviderRegistry,
  type RateLimitLedger,
  readAccount,
  type Target,
} from "#model";

/** What the provider says may still be asked, and what is left on the account. */
export interface AccountService {
  lines(signal: AbortSignal): Promise<readonly string[]>;
  /** The limits of one's own that hold for this session, with what of them is used. */
  budget(): Promise<readonly string[]>;
}

export interface AccountDeps {
  readonly clock: Clock;
  readonly rateLimits: RateLimitLedger;
  readonly registry: ProviderRegistry;
  readonly gate: Pick<BudgetGate, "standing">;
  readonly spender: Spender;
  target(): Target;
}

export function accountService({ clock, rateLimits, registry, gate, spender, target }: AccountDeps): AccountService {
  return {
    budget: async () => (await gate.standing(spender)).map(describeStanding),
    async lines(signal) {
      const nowMs = clock.now();
      const { provider } = target();
      const answer = await readAccount(target(), registry.find(provider)?.account, { signal, nowMs });
      const limits = rateLimits.get(provider);
      const account = answer.kind === "account" ? answer.lines.map((line) => accountLine(line, nowMs)) : [];
      const failed = answer.kind === "failure" ? [`The account could not be read: ${answer.message}`] : [];
      return [...(limits === undefined ? [] : describeRateLimits(limits, nowMs)), ...account, ...failed];
    },
  };
}

function accountLine(line: AccountLine, nowMs: number): string {
  if (line.kind === "balance") return `${line.label}: ${line.amount.toFixed(2)} ${line.currency}`;
  const reset =
    line.resetsAtMs === undefined ? "" : `, full again in ${shortDuration(Math.max(0, line.resetsAtMs - nowMs))}`;
  return `${line.label}: ${line.usedPercent}% used${reset}`;
}

import type { Cost, Usage } from "#conversation";
import { defined } from "#foundation/defined";
import type { UsageChange } from "#store";

/** Who was asked, and is billed for it. */
export interface Billed {
  readonly model: string;
  readonly provider: string;
  readonly baseUrl: string;
}

/** One model call as the books of a session take it. */
export function usageChange({ model, provider, baseUrl }: Billed, usage: Usage, cost: Cost): UsageChange {
  const { usd, status, source, billingMode, pricingVersion } = cost;
  const money = usd === undefined ? {} : status === "actual" ? { actualCostUsd: usd } : { estimatedCostUsd: usd };
  return {
    usage,
    apiCalls: 1,
    model,
    billingProvider: provider,
    billingBaseUrl: baseUrl,
    ...money,
    costStatus: status,
    costSource: source,
    ...defined({ billingMode, pricingVersion }),
  };
}

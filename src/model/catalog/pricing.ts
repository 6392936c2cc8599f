import type { Prices } from "../model-facts.ts";

export type CostSource =
  | "provider_cost_api"
  | "provider_generation_api"
  | "provider_models_api"
  | "official_docs_snapshot"
  | "user_override"
  | "custom_contract"
  | "none";

export type BillingMode = "subscription_included" | "official_models_api" | "official_docs_snapshot" | "unknown";

/** The prices that apply to a model at a provider, and where they come from. */
export interface PriceQuote {
  readonly billingMode: BillingMode;
  readonly source: CostSource;
  /** Nothing is charged per token: a subscription, or a server of one's own. */
  readonly isIncluded: boolean;
  /** Absent means nobody knows. */
  readonly prices?: Prices;
  /** Names the state of the table the prices were read from. */
  readonly version?: string;
}

export interface PriceClaims {
  /** `pricing.overrides.<provider>.<model>`. */
  readonly override?: Prices | undefined;
  readonly isSubscription: boolean;
  readonly isLocal: boolean;
  /** What the provider's or endpoint's own model list says. */
  readonly listed?: Prices | undefined;
  readonly snapshot?: { readonly prices: Prices | undefined; readonly version: string } | undefined;
  readonly catalogue?: { readonly prices: Prices | undefined; readonly version: string } | undefined;
}

/** The first source that knows wins: the user, then what is free of charge, then the provider, then tables. */
export function quotePrices(claims: PriceClaims): PriceQuote {
  if (claims.override !== undefined)
    return { billingMode: "unknown", source: "user_override", isIncluded: false, prices: claims.override };
  if (claims.isSubscription || claims.isLocal)
    return { billingMode: "subscription_included", source: "none", isIncluded: true };
  if (claims.listed !== undefined)
    return {
      billingMode: "official_models_api",
      source: "provider_models_api",
      isIncluded: false,
      prices: claims.listed,
    };
  for (const table of [claims.snapshot, claims.catalogue]) {
    if (table?.prices === undefined || saysNothing(table.prices)) continue;
    return {
      billingMode: "official_docs_snapshot",
      source: "official_docs_snapshot",
      isIncluded: false,
      prices: table.prices,
      version: table.version,
    };
  }
  return { billingMode: "unknown", source: "none", isIncluded: false };
}

/** Tables fill unknown prices with zeros; only a provider's own list can say that a model is free. */
function saysNothing(prices: Prices): boolean {
  return (prices.input ?? 0) === 0 && (prices.output ?? 0) === 0;
}

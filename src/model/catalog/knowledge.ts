export interface LimitsQuery {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  /** What the endpoint itself reports, where it was asked. */
  readonly localWindow?: number;
  /** What its list of models says. */
  readonly listedWindow?: number;
}

/** What the catalogue knows about a model, from its caches: no network, no waiting. */
export interface ModelKnowledge {
  readonly contextWindow?: number;
  /** Where it is known from, for people. */
  readonly windowSource?: string;
  readonly maxOutputTokens?: number;
  readonly supportsImages?: boolean;
  readonly efforts?: readonly string[];
}

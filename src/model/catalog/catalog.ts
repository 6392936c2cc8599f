import type { Usage } from "#conversation";
import type { Capability, ModelFacts, Prices } from "../model-facts.ts";
import type { CachedSource } from "./cached-source.ts";
import { type CallCost, costOfCall } from "./cost.ts";
import { anthropicOutputLimit, familyCapabilities, familyWindow, unknownAnthropicOutput } from "./families.ts";
import type { LearnedLimits } from "./learned-limits.ts";
import { type ChosenWindow, chooseWindow } from "./limits.ts";
import { findListed } from "./model-list.ts";
import { type ModelsDev, modelsDevFacts } from "./models-dev.ts";
import { type PriceQuote, quotePrices } from "./pricing.ts";
import { catalogueFacts, isCatalogued } from "./provider-facts.ts";
import { snapshotFacts, snapshotVersion } from "./snapshot.ts";

/** Which model at which address the question is about, and what the asker knows already. */
export interface ModelQuestion {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  /** `model.context_length`. */
  readonly configuredWindow?: number;
  /** What a local server said it was started with. */
  readonly localWindow?: number;
  /** What the endpoint's own list of models says. */
  readonly listedWindow?: number;
  readonly isLocal?: boolean;
  /** Nothing is charged per token. */
  readonly isSubscription?: boolean;
}

export interface CatalogSources {
  readonly learned?: LearnedLimits;
  readonly modelsDev?: CachedSource<ModelsDev>;
  readonly openRouter?: CachedSource<ReadonlyMap<string, ModelFacts>>;
  /** What the endpoint's own list says, where it was fetched. */
  listedPrices?(question: ModelQuestion): Prices | undefined;
  /** `pricing.overrides`, by provider and model. */
  readonly priceOverrides?: Readonly<Record<string, Readonly<Record<string, Prices>>>>;
}

const mostShipped = 500;

/**
 * Everything known about models, from memory. No method waits for a network: what is not known yet
 * is answered by the next source, and {@link refresh} is called in the background.
 */
export class ModelCatalog {
  readonly #sources: CatalogSources;
  /** What the shipped table says, by provider and model: the table is long, and every session asks several times. */
  readonly #shipped = new Map<string, ModelFacts | undefined>();

  constructor(sources: CatalogSources = {}) {
    this.#sources = sources;
  }

  /** Reads the files of all sources, once, at start. */
  async load(): Promise<void> {
    const { learned, modelsDev, openRouter } = this.#sources;
    await Promise.all([learned?.load(), modelsDev?.load(), openRouter?.load()]);
  }

  /**
   * Brings up to date what a model is looked up in: OpenRouter's list for its own models, the public catalogue for others
   * that the shipped table does not know. For the background; never throws for a missing network.
   */
  async refresh({ provider, model }: Pick<ModelQuestion, "provider" | "model">, signal: AbortSignal): Promise<void> {
    if (catalogueFacts(provider).isPublicList === true) await this.#sources.openRouter?.refresh(signal);
    else if (isCatalogued(provider) && this.#shippedFacts({ provider, model }) === undefined)
      await this.refreshPublic(signal);
  }

  /** The same for the public catalogue alone. */
  async refreshPublic(signal: AbortSignal): Promise<void> {
    await this.#sources.modelsDev?.refresh(signal);
  }

  get hasPublic(): boolean {
    return this.#sources.modelsDev?.current !== undefined;
  }

  /** The models of a provider in the public catalogue that can be talked to with tools, as far as it is known. */
  listed(provider: string): readonly string[] {
    const models = this.#sources.modelsDev?.current?.get(catalogueFacts(provider).name ?? provider) ?? [];
    return [...models].flatMap(([id, { capabilities }]) => (capabilities?.includes("tools") === true ? [id] : []));
  }

  window(question: ModelQuestion): ChosenWindow {
    const { provider, model } = question;
    return chooseWindow({
      config: question.configuredWindow,
      learned: this.#learned(question),
      "bedrock-table": catalogueFacts(provider).windowOf?.(model),
      endpoint: question.listedWindow,
      "local-server": question.localWindow,
      provider: catalogueFacts(provider).window,
      "models.dev": this.#modelsDev(question)?.contextWindow,
      openrouter: this.#openRouter(question)?.contextWindow,
      snapshot: this.#shippedFacts({ provider, model })?.contextWindow,
      family: familyWindow(model),
    });
  }

  /** The largest output of a model; undefined when nobody says and the wire does not need one. */
  maxOutput(question: ModelQuestion, wire: "anthropic" | "other"): number | undefined {
    const known =
      this.#modelsDev(question)?.maxOutputTokens ??
      this.#openRouter(question)?.maxOutputTokens ??
      this.#shippedFacts(question)?.maxOutputTokens;
    if (wire === "other") return known;
    return anthropicOutputLimit(question.model) ?? known ?? unknownAnthropicOutput;
  }

  capabilities(question: ModelQuestion): readonly Capability[] {
    return (
      this.#modelsDev(question)?.capabilities ??
      this.#openRouter(question)?.capabilities ??
      this.#shippedFacts(question)?.capabilities ??
      familyCapabilities(question.model)
    );
  }

  prices(question: ModelQuestion): PriceQuote {
    const { provider, model } = question;
    const snapshot = this.#shippedFacts({ provider, model })?.prices;
    const catalogue = this.#modelsDev(question)?.prices;
    return quotePrices({
      override: this.#override(provider, model),
      isSubscription: question.isSubscription ?? false,
      isLocal: question.isLocal ?? false,
      listed:
        catalogueFacts(provider).isPublicList === true
          ? this.#openRouter(question)?.prices
          : this.#sources.listedPrices?.(question),
      snapshot: { prices: snapshot, version: snapshotVersion },
      catalogue: { prices: catalogue, version: "models.dev" },
    });
  }

  cost(question: ModelQuestion, usage: Usage, reportedUsd?: number): CallCost {
    return costOfCall(usage, this.prices(question), reportedUsd);
  }

  #learned({ provider, model, baseUrl }: ModelQuestion): number | undefined {
    const value = this.#sources.learned?.get(model, baseUrl);
    const limit = catalogueFacts(provider).learnedBelow;
    return value === undefined || (limit !== undefined && value >= limit) ? undefined : value;
  }

  #shippedFacts({ provider, model }: Pick<ModelQuestion, "provider" | "model">): ModelFacts | undefined {
    const key = `${provider}\n${model}`;
    if (this.#shipped.has(key)) return this.#shipped.get(key);
    if (this.#shipped.size >= mostShipped) this.#shipped.clear();
    const facts = snapshotFacts(provider, model);
    this.#shipped.set(key, facts);
    return facts;
  }

  #modelsDev({ provider, model }: ModelQuestion): ModelFacts | undefined {
    const catalogue = this.#sources.modelsDev?.current;
    return catalogue === undefined ? undefined : modelsDevFacts(catalogue, provider, model);
  }

  /** OpenRouter lists most models there are; only an exact name counts, since its list has hundreds of near ones. */
  #openRouter({ model }: ModelQuestion): ModelFacts | undefined {
    const list = this.#sources.openRouter?.current;
    return list === undefined ? undefined : findListed(list, model);
  }

  #override(provider: string, model: string): Prices | undefined {
    const own = this.#sources.priceOverrides?.[provider];
    return own !== undefined && Object.hasOwn(own, model) ? own[model] : undefined;
  }
}

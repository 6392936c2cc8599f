import { defined } from "#foundation/defined";
import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import type { Prices } from "../model-facts.ts";
import { CachedSource } from "./cached-source.ts";
import { type CatalogSources, ModelCatalog } from "./catalog.ts";
import { anthropicOutputLimit } from "./families.ts";
import type { LimitsQuery, ModelKnowledge } from "./knowledge.ts";
import { LearnedLimits } from "./learned-limits.ts";
import { windowWords } from "./limits.ts";
import { readModelList } from "./model-list.ts";
import { modelsDevUrl, readModelsDev } from "./models-dev.ts";

const openRouterUrl = "https://openrouter.ai/api/v1/models";
const hourMs = 3_600_000;

/** One entry of `pricing.overrides`, by the names it has there. */
interface WrittenPrices {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly cache_read?: number | undefined;
  readonly cache_write?: number | undefined;
  readonly request?: number | undefined;
}

export interface CatalogOptions {
  readonly files: { readonly modelsDev: string; readonly openRouter: string; readonly learned: string };
  readonly clock: Clock;
  readonly logger: Logger;
  readonly priceOverrides?: Readonly<Record<string, Readonly<Record<string, WrittenPrices>>>>;
  readonly listedPrices?: CatalogSources["listedPrices"];
  /** Addresses of the public catalogues; tests have their own. */
  readonly urls?: { readonly modelsDev?: string; readonly openRouter?: string };
}

export interface OpenCatalog {
  readonly catalog: ModelCatalog;
  readonly learned: LearnedLimits;
}

/** The catalogue of a home. Nothing is read until `catalog.load()`, nothing fetched until `catalog.refresh()`. */
export function openCatalog(options: CatalogOptions): OpenCatalog {
  const { files, clock, logger, urls, listedPrices } = options;
  const shared = { maxAgeMs: hourMs, clock, logger };
  const learned = new LearnedLimits(files.learned);
  const modelsDev = new CachedSource({
    ...shared,
    url: urls?.modelsDev ?? modelsDevUrl,
    file: files.modelsDev,
    parse: readModelsDev,
  });
  const openRouter = new CachedSource({
    ...shared,
    url: urls?.openRouter ?? openRouterUrl,
    file: files.openRouter,
    parse: (body) => {
      const list = readModelList(body);
      return list.size === 0 ? undefined : list;
    },
  });
  const priceOverrides = readOverrides(options.priceOverrides ?? {});
  return {
    catalog: new ModelCatalog({ learned, modelsDev, openRouter, priceOverrides, ...defined({ listedPrices }) }),
    learned,
  };
}

function readOverrides(
  written: Readonly<Record<string, Readonly<Record<string, WrittenPrices>>>>,
): Readonly<Record<string, Readonly<Record<string, Prices>>>> {
  return Object.fromEntries(
    Object.entries(written).map(([provider, models]) => [
      provider,
      Object.fromEntries(Object.entries(models).map(([model, prices]) => [model, pricesOf(prices)])),
    ]),
  );
}

function pricesOf({ input, output, cache_read, cache_write, request }: WrittenPrices): Prices {
  return {
    ...defined({ input, output, cacheRead: cache_read, cacheWrite: cache_write, request }),
  };
}

/** What resolution wants to know about a model, answered from memory. */
export function knowledgeFrom(catalog: ModelCatalog): (query: LimitsQuery) => ModelKnowledge {
  return (question) => {
    const { model } = question;
    const maxOutputTokens = anthropicOutputLimit(model) ?? catalog.maxOutput(question, "other");
    const { tokens, source } = catalog.window(question);
    return {
      contextWindow: tokens,
      windowSource: windowWords[source],
      supportsImages: catalog.capabilities(question).includes("vision"),
      ...defined({ maxOutputTokens }),
    };
  };
}

import type { Config } from "#config";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import { raceAbort } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import type { CatalogueUpkeep } from "../../catalog/upkeep.ts";
import { type Recommended, readRecommended, refreshRecommended } from "../../providers/models/recommended.ts";
import type { ResolveContext } from "../context.ts";
import { listChoices, type PickerEntry } from "./picker.ts";
import type { ProviderLists } from "./provider-lists.ts";

export interface ModelChoicesDeps {
  readonly context: ResolveContext;
  readonly lists: ProviderLists;
  readonly upkeep: CatalogueUpkeep;
  readonly settings: Config["model_catalog"];
  readonly home: HermesHome;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * What can be chosen now, with the models of the remote list first. A list that was fetched before is used at once and
 * renewed behind it when it is old; only where there is none yet is it waited for. No list is no trouble.
 */
export class ModelChoices implements AsyncDisposable {
  readonly #parts: ModelChoicesDeps;
  readonly #stop = new AbortController();
  #refreshing: Promise<unknown> = Promise.resolve();

  constructor(parts: ModelChoicesDeps) {
    this.#parts = parts;
  }

  async list(signal: AbortSignal): Promise<readonly PickerEntry[]> {
    const { context, lists, upkeep } = this.#parts;
    const known = await listChoices(context, {}, signal);
    const isCatalogued = ({ provider }: PickerEntry) => context.registry.find(provider)?.models.mergeCatalogue === true;
    const [recommended] = await Promise.all([
      this.#recommended(signal),
      lists.bring(known, signal),
      known.some(isCatalogued) ? upkeep.forChoice(signal) : undefined,
    ]);
    return listChoices(context, { recommended }, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#refreshing;
  }

  async #recommended(signal: AbortSignal): Promise<Recommended> {
    const { enabled, url, providers } = this.#parts.settings;
    if (!enabled) return {};
    const [general, ...own] = await Promise.all([
      this.#listAt(url, "model_catalog.json", signal),
      ...Object.entries(providers).map(async ([provider, address]) => {
        const list = await this.#listAt(address, `model_catalog-${fileNameOf(provider)}.json`, signal);
        return Object.fromEntries(Object.entries(list).filter(([id]) => id === provider));
      }),
    ]);
    return Object.assign({}, general, ...own);
  }

  async #listAt(url: string, file: string, signal: AbortSignal): Promise<Recommended> {
    const { settings, home, clock, logger } = this.#parts;
    if (url === "") return {};
    const options = { url, cachePath: home.at("cache", file), clock, maxAgeMs: settings.ttl_hours * 3_600_000 };
    const { recommended, isStale } = await readRecommended(options);
    if (!isStale) return recommended;
    const refreshing = refreshRecommended(options, this.#stop.signal).catch((error: unknown) => {
      if (!this.#stop.signal.aborted) logger.warn("the list of models was not kept", { error: describe(error) });
    });
    this.#refreshing = Promise.all([this.#refreshing, refreshing]);
    if (Object.keys(recommended).length > 0) return recommended;
    await raceAbort(refreshing, signal);
    return (await readRecommended(options)).recommended;
  }
}

const fileNameOf = (provider: string): string => provider.replace(/[^a-z0-9_-]/gi, "_");

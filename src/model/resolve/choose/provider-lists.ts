import type { Config } from "#config";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { deadline, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import { fetchBedrockModels } from "../../providers/models/bedrock-models.ts";
import type { ModelsCache } from "../../providers/models/models-cache.ts";
import { fetchModels } from "../../providers/models/models-list.ts";
import type { ProviderProfile } from "../../providers/provider.ts";
import type { ResolveContext } from "../context.ts";
import { resolveTarget } from "../resolve.ts";
import type { PickerEntry } from "./picker.ts";

export interface ProviderListsDeps {
  readonly context: ResolveContext;
  readonly cache: ModelsCache;
  readonly bedrock: Config["bedrock"]["discovery"];
  readonly logger: Logger;
}

/** Nobody waits longer for lists; what comes later is there the next time. */
const patienceMs = 3_000;

/**
 * The models that providers themselves list. A list that was fetched before is used at once and renewed behind it when it
 * is old; only where there is none yet is it waited for, for a moment. A provider that does not answer is no trouble.
 */
export class ProviderLists implements AsyncDisposable {
  readonly #parts: ProviderListsDeps;
  readonly #stop = new AbortController();
  readonly #fetching = new Set<Promise<unknown>>();

  constructor(parts: ProviderListsDeps) {
    this.#parts = parts;
  }

  /** Brings the lists of these providers up to date, as far as that is quick. */
  async bring(entries: readonly PickerEntry[], signal: AbortSignal): Promise<void> {
    const first: Promise<unknown>[] = [];
    for (const { provider } of entries) {
      const { cacheMs, path } = this.#source(provider);
      if (path === undefined) continue;
      const known = await this.#parts.cache.read(provider, cacheMs);
      // Behind the nameless endpoint another server may stand since.
      const mayHaveMoved = this.#record(provider)?.isOwnEndpoint === true;
      if (known?.isFresh === true && !mayHaveMoved) continue;
      const fetching = this.#fetch(provider);
      if (known === undefined || mayHaveMoved) first.push(fetching);
    }
    if (first.length === 0) return;
    using limit = deadline(patienceMs);
    try {
      await raceAbort(Promise.all(first), linkSignals(signal, limit.signal));
    } catch (error) {
      if (signal.aborted || !limit.signal.aborted) throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#fetching);
  }

  #record(provider: string): ProviderProfile | undefined {
    return this.#parts.context.registry.find(provider);
  }

  /** Bedrock lists its models in a way of its own. */
  #isSigned(provider: string): boolean {
    return this.#record(provider)?.authKind === "aws_sdk";
  }

  /** An own endpoint is asked the usual way. */
  #source(provider: string) {
    if (this.#isSigned(provider)) {
      const { enabled, refresh_interval } = this.#parts.bedrock;
      return enabled ? { path: "/", cacheMs: refresh_interval * 1000 } : {};
    }
    return this.#record(provider)?.models ?? { path: "/models" };
  }

  #fetch(provider: string): Promise<unknown> {
    const { cache, logger } = this.#parts;
    const fetching = cache
      .refresh(provider, () => this.#ask(provider))
      .then((list) => {
        if (list.kind === "failure")
          logger.debug("a provider did not list its models", { provider, why: list.message });
      })
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) logger.debug("a list of models was not kept", { error: describe(error) });
      })
      .finally(() => this.#fetching.delete(fetching));
    this.#fetching.add(fetching);
    return fetching;
  }

  async #ask(provider: string): ReturnType<typeof fetchModels> {
    const { signal } = this.#stop;
    const resolution = await resolveTarget({ provider }, this.#parts.context, signal);
    if (resolution.kind === "failure") return { kind: "failure", message: resolution.message };
    const { baseUrl, headers, query, credential } = resolution.target;
    if (this.#isSigned(provider))
      return await fetchBedrockModels({ baseUrl, credential, makers: this.#parts.bedrock.provider_filter }, signal);
    return await fetchModels({ source: this.#source(provider), baseUrl, headers, query, credential }, signal);
  }
}

import { dirname } from "node:path";
import { ensureDir, readTextFile, writeFileAtomic } from "#foundation/files/files";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import { type ListedModel, toListedModel } from "./model-entry.ts";
import type { ModelList } from "./models-list.ts";

const defaultCacheMs = 300_000;
const maxCacheBytes = 20_000_000;

export interface CachedList {
  readonly models: readonly ListedModel[];
  readonly isFresh: boolean;
}

interface Kept {
  readonly models: readonly ListedModel[];
  readonly fetchedAtMs: number;
}

/**
 * Lists of models by provider: answered from memory or file at once, fetched again when old. A list
 * that cannot be fetched leaves the old one in place.
 */
export class ModelsCache {
  readonly #clock: Clock;
  readonly #folder: string | undefined;
  readonly #kept = new Map<string, Kept>();
  readonly #fetching = new Map<string, Promise<ModelList>>();

  /** Without a folder the lists live as long as the process. */
  constructor(options: { readonly clock: Clock; readonly folder?: string }) {
    this.#clock = options.clock;
    this.#folder = options.folder;
  }

  /** What is known now, without any network. */
  async read(key: string, cacheMs: number = defaultCacheMs): Promise<CachedList | undefined> {
    const kept = this.#kept.get(key) ?? (await this.#load(key));
    if (kept === undefined) return undefined;
    return { models: kept.models, isFresh: this.#clock.now() - kept.fetchedAtMs < cacheMs };
  }

  /** Known synchronously: only what this process has read or fetched before. */
  peek(key: string): readonly ListedModel[] {
    return this.#kept.get(key)?.models ?? [];
  }

  /** Fetches once however many ask; a failure is returned and keeps what was known. */
  refresh(key: string, fetch: () => Promise<ModelList>): Promise<ModelList> {
    const running = this.#fetching.get(key);
    if (running !== undefined) return running;
    const started = this.#fetch(key, fetch).finally(() => this.#fetching.delete(key));
    this.#fetching.set(key, started);
    return started;
  }

  async #fetch(key: string, fetch: () => Promise<ModelList>): Promise<ModelList> {
    const list = await fetch();
    if (list.kind === "failure" || list.models.length === 0) return list;
    const kept: Kept = { models: list.models, fetchedAtMs: this.#clock.now() };
    this.#kept.set(key, kept);
    const path = this.#pathOf(key);
    if (path !== undefined) {
      await ensureDir(dirname(path), 0o700);
      await writeFileAtomic(path, JSON.stringify({ fetched_at: kept.fetchedAtMs, models: kept.models }), {
        fsync: false,
      });
    }
    return list;
  }

  async #load(key: string): Promise<Kept | undefined> {
    const path = this.#pathOf(key);
    const text = path === undefined ? undefined : await readTextFile(path, { maxBytes: maxCacheBytes });
    const parsed = text === undefined ? undefined : parseJson(text);
    if (parsed?.ok !== true || !isRecord(parsed.value)) return undefined;
    const { fetched_at: fetchedAtMs, models } = parsed.value;
    if (typeof fetchedAtMs !== "number" || !Array.isArray(models)) return undefined;
    const kept: Kept = { fetchedAtMs, models: models.filter(isRecord).flatMap(readKept) };
    this.#kept.set(key, kept);
    return kept;
  }

  #pathOf(key: string): string | undefined {
    return this.#folder === undefined ? undefined : `${this.#folder}/${key.replace(/[^\w.-]+/g, "_")}.json`;
  }
}

/** Our own file, but a file: only what has the right type is taken from it. */
function readKept(entry: Record<string, unknown>): readonly ListedModel[] {
  const model = toListedModel(entry);
  if (model === undefined) return [];
  const { contextWindow, maxOutputTokens, label, supportsImages, prices } = entry;
  return [
    {
      ...model,
      ...(typeof contextWindow === "number" ? { contextWindow } : {}),
      ...(typeof supportsImages === "boolean" ? { supportsImages } : {}),
      ...(typeof maxOutputTokens === "number" ? { maxOutputTokens } : {}),
      ...(typeof label === "string" ? { label } : {}),
      ...(isRecord(prices) && Object.values(prices).every((one) => typeof one === "number") ? { prices } : {}),
      ...(Array.isArray(entry.efforts) ? { efforts: entry.efforts.filter((one) => typeof one === "string") } : {}),
      ...(Array.isArray(entry.endpoints)
        ? { endpoints: entry.endpoints.filter((one) => typeof one === "string") }
        : {}),
    },
  ];
}

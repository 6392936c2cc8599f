import { dirname } from "node:path";
import { ensureDir, readTextFile, writeFileAtomic } from "#foundation/files/files";
import { httpRequest } from "#foundation/http/request";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";

/** Recommended models by provider id. */
export type Recommended = Readonly<Record<string, readonly string[]>>;

export interface RecommendedOptions {
  /** `model_catalog.url`; empty turns it off. */
  readonly url: string;
  /** `cache/model_catalog.json` of the home. */
  readonly cachePath: string;
  readonly maxAgeMs?: number;
  readonly clock: Clock;
}

const dayMs = 86_400_000;
const maxBytes = 2_000_000;

/**
 * The list as it was last fetched, at once, and whether it is time to fetch again. No list, a broken list
 * or no network all mean the same: the built-in lists are what there is.
 */
export async function readRecommended(
  options: RecommendedOptions,
): Promise<{ readonly recommended: Recommended; readonly isStale: boolean }> {
  if (options.url === "") return { recommended: {}, isStale: false };
  const text = await readTextFile(options.cachePath, { maxBytes });
  const parsed = text === undefined ? undefined : parseJson(text);
  const record = parsed?.ok === true && isRecord(parsed.value) ? parsed.value : {};
  const fetchedAtMs = record.url === options.url && typeof record.fetched_at === "number" ? record.fetched_at : 0;
  const isStale = options.clock.now() - fetchedAtMs >= (options.maxAgeMs ?? dayMs);
  return { recommended: record.url === options.url ? readList(record.list) : {}, isStale };
}

/** Fetches the list and keeps it; true when there is a new one. Meant to run behind what the person sees. */
export async function refreshRecommended(options: RecommendedOptions, signal: AbortSignal): Promise<boolean> {
  const response = await httpRequest(options.url, { signal, timeoutMs: 10_000, maxBodyBytes: maxBytes });
  if (response.kind === "failure") return false;
  const text = await response.text();
  if (response.status !== 200 || text.kind === "failure") return false;
  const parsed = parseJson(text.text);
  if (!parsed.ok || Object.keys(readList(parsed.value)).length === 0) return false;
  const kept = { url: options.url, fetched_at: options.clock.now(), list: parsed.value };
  await ensureDir(dirname(options.cachePath));
  await writeFileAtomic(options.cachePath, JSON.stringify(kept), { fsync: false });
  return true;
}

/** `{providers: {<id>: {models: [<id> | {id}]}}}`. */
function readList(value: unknown): Recommended {
  const providers = isRecord(value) ? value.providers : undefined;
  if (!isRecord(providers)) return {};
  return Object.fromEntries(
    Object.entries(providers).flatMap(([id, entry]) => {
      const models = isRecord(entry) && Array.isArray(entry.models) ? entry.models : [];
      const names = models
        .map((model) => (isRecord(model) ? model.id : model))
        .filter((name): name is string => typeof name === "string" && /^\S{1,200}$/.test(name));
      return names.length === 0 ? [] : [[id, names]];
    }),
  );
}

import { defined } from "#foundation/defined";
import { Secret } from "#foundation/secrets/secret";
import { isRecord } from "#foundation/text/json";
import { nonEmpty } from "#foundation/text/text";
import type { TargetRequest } from "../resolve/context.ts";
import type { ProtocolName } from "../target.ts";

/** One model to go to when another fails. */
export interface FallbackEntry {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl?: string;
  readonly apiKey?: Secret;
  readonly keyEnv?: string;
  readonly protocol?: ProtocolName;
}

export interface ParsedChain {
  readonly entries: readonly FallbackEntry[];
  /** What was left out and why, for the person who wrote it. */
  readonly warnings: readonly string[];
}

/**
 * The chain of a configuration: the list `fallback_providers` where it has entries, else the single
 * `fallback_model`. An entry without provider or model is left out and reported.
 */
export function parseFallbackChain(settings: {
  readonly fallback_model?: unknown;
  readonly fallback_providers?: unknown;
}): ParsedChain {
  const list = settings.fallback_providers;
  if (Array.isArray(list) && list.length > 0) return parseEntries(list, "fallback_providers");
  const single = settings.fallback_model;
  if (single === undefined || single === null) return { entries: [], warnings: [] };
  const parsed = parseEntry(single);
  if (parsed.kind === "entry") return { entries: [parsed.entry], warnings: [] };
  // An empty default is the absence of a choice, not a mistake.
  if (parsed.isEmpty) return { entries: [], warnings: [] };
  return { entries: [], warnings: [`fallback_model is not used: ${parsed.problem}.`] };
}

/** The entries of one list (`fallback_providers`, `auxiliary.<task>.fallback`, a job's own). */
export function parseEntries(list: readonly unknown[], where: string): ParsedChain {
  const parsed = list.slice(0, 50).map(parseEntry);
  return {
    entries: parsed.flatMap((one) => (one.kind === "entry" ? [one.entry] : [])),
    warnings: parsed.flatMap((one, index) =>
      one.kind === "problem" ? [`${where}[${index}] is not used: ${one.problem}.`] : [],
    ),
  };
}

type ParsedEntry =
  | { readonly kind: "entry"; readonly entry: FallbackEntry }
  | { readonly kind: "problem"; readonly problem: string; readonly isEmpty: boolean };

function parseEntry(value: unknown): ParsedEntry {
  if (!isRecord(value)) return { kind: "problem", problem: "it is not a group of keys", isEmpty: false };
  const provider = nonEmpty(value["provider"]);
  const model = nonEmpty(value["model"]);
  if (provider === undefined || model === undefined) {
    const missing = [provider === undefined ? "provider" : "", model === undefined ? "model" : ""].filter(Boolean);
    return { kind: "problem", problem: `${missing.join(" and ")} missing`, isEmpty: missing.length === 2 };
  }
  const baseUrl = nonEmpty(value["base_url"]);
  const keyEnv = nonEmpty(value["key_env"]);
  const protocol = protocolIn(value["api_mode"]);
  const apiKey = secretIn(value["api_key"]);
  return {
    kind: "entry",
    entry: {
      provider,
      model,
      ...defined({ baseUrl, apiKey, keyEnv, protocol }),
    },
  };
}

function secretIn(value: unknown): Secret | undefined {
  if (value instanceof Secret) return value.isEmpty ? undefined : value;
  return typeof value === "string" && value.trim() !== "" ? new Secret(value.trim()) : undefined;
}

const namedProtocols: readonly ProtocolName[] = ["chat_completions", "anthropic_messages", "codex_responses"];

function protocolIn(value: unknown): ProtocolName | undefined {
  return namedProtocols.find((name) => name === value);
}

/** What the resolver is asked for. */
export function requestFor(entry: FallbackEntry, source: string): TargetRequest {
  return { ...entry, source };
}

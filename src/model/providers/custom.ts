import { defined } from "#foundation/defined";
import { Secret } from "#foundation/secrets/secret";
import { isRecord } from "#foundation/text/json";
import { nearest, nonEmpty } from "#foundation/text/text";
import type { ProtocolName } from "../target.ts";
import { parseUrl } from "./hosts.ts";
import type { ProviderRegistry } from "./registry.ts";

interface NamedEndpointModel {
  readonly contextLength?: number;
  readonly maxTokens?: number;
  readonly timeoutSeconds?: number;
  readonly staleTimeoutSeconds?: number;
}

/** An endpoint of the user's own, with a name. Its key goes to its own address and nowhere else. */
export interface NamedEndpoint {
  /** `custom:<name>`, lower case, spaces as hyphens. */
  readonly slug: string;
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey?: Secret;
  readonly keyEnv?: string;
  readonly protocol?: ProtocolName;
  readonly model?: string;
  readonly models: Readonly<Record<string, NamedEndpointModel>>;
  readonly contextLength?: number;
  readonly rateLimitDelaySeconds?: number;
  readonly requestTimeoutSeconds?: number;
  readonly staleTimeoutSeconds?: number;
}

export interface NamedEndpoints {
  readonly endpoints: readonly NamedEndpoint[];
  readonly warnings: readonly string[];
  /** What is plainly wrong; the rest of the settings still works. */
  readonly errors: readonly string[];
}

/** Other spellings that are understood, with the key they stand for. */
const spellings: Readonly<Record<string, string>> = {
  api: "base_url",
  url: "base_url",
  transport: "api_mode",
  default_model: "model",
};

const knownKeys = new Set([
  "name",
  "base_url",
  "api_key",
  "key_env",
  "api_mode",
  "model",
  "models",
  "context_length",
  "rate_limit_delay",
  "request_timeout_seconds",
  "stale_timeout_seconds",
  "prefer_env_token",
  ...Object.keys(spellings),
]);

/**
 * The two ways to name endpoints, as one list without doubles: the list `custom_providers` and those
 * entries of the map `providers` that carry an address and are no built-in provider.
 */
export function readNamedEndpoints(list: unknown, map: unknown, registry: ProviderRegistry): NamedEndpoints {
  const warnings: string[] = [];
  const errors: string[] = [];
  const found = new Map<string, NamedEndpoint>();
  for (const { where, entry } of entriesOf({ list, map, registry, errors })) {
    const endpoint = readEntry(entry, where, warnings);
    if (endpoint !== undefined && !found.has(endpoint.slug)) found.set(endpoint.slug, endpoint);
  }
  return { endpoints: [...found.values()], warnings, errors };
}

interface Supplied {
  readonly list: unknown;
  readonly map: unknown;
  readonly registry: ProviderRegistry;
  readonly errors: string[];
}

function* entriesOf(input: Supplied): Generator<{ readonly where: string; readonly entry: Record<string, unknown> }> {
  const { list, map, registry, errors } = input;
  if (Array.isArray(list)) {
    for (const [index, entry] of list.entries()) {
      if (isRecord(entry)) yield { where: `custom_providers[${index}]`, entry };
      else errors.push(`custom_providers[${index}] must be a group of keys.`);
    }
  } else if (list !== undefined && list !== null) {
    errors.push(
      "custom_providers must be a list. Write it as: custom_providers: [{ name: my-server, base_url: http://localhost:8000/v1 }]",
    );
  }
  if (!isRecord(map)) return;
  for (const [key, entry] of Object.entries(map)) {
    if (!isRecord(entry) || registry.find(key) !== undefined) continue;
    yield { where: `providers.${key}`, entry: { ...entry, name: nonEmpty(entry.name) ?? key } };
  }
}

function readEntry(raw: Record<string, unknown>, where: string, warnings: string[]): NamedEndpoint | undefined {
  const entry = respell(raw, where, warnings);
  const name = nonEmpty(entry.name);
  const baseUrl = nonEmpty(entry.base_url)?.replace(/\/+$/, "");
  if (name === undefined) {
    warnings.push(`${where} has no name and is skipped.`);
    return undefined;
  }
  const url = baseUrl === undefined ? undefined : parseUrl(baseUrl);
  if (baseUrl === undefined || url === undefined || !/^https?:$/.test(url.protocol)) {
    warnings.push(`${where} (${name}) has no valid absolute base_url and is skipped.`);
    return undefined;
  }
  const apiKey = secretOf(entry.api_key);
  return {
    slug: slugOf(name),
    name,
    baseUrl,
    ...defined({ apiKey }),
    ...input("keyEnv", nonEmpty(entry.key_env)),
    ...input("protocol", protocolOf(entry.api_mode)),
    ...input("model", nonEmpty(entry.model)),
    models: modelsOf(entry.models),
    ...input("contextLength", positive(entry.context_length)),
    ...input("rateLimitDelaySeconds", positive(entry.rate_limit_delay)),
    ...input("requestTimeoutSeconds", positive(entry.request_timeout_seconds)),
    ...input("staleTimeoutSeconds", positive(entry.stale_timeout_seconds)),
  };
}

/** camelCase and other spellings become the documented keys, with a warning; unknown keys warn. */
function respell(raw: Record<string, unknown>, where: string, warnings: string[]): Record<string, unknown> {
  const entry: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(raw)) {
    const snake = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (snake !== key && knownKeys.has(snake)) warnings.push(`${where}.${key} should be written ${snake}.`);
    if (!knownKeys.has(snake)) {
      const meant = nearest(snake, knownKeys);
      warnings.push(`${where}.${key} is not a known key${meant === undefined ? "" : `; did you mean ${meant}?`}`);
      continue;
    }
    const plain = spellings[snake] ?? snake;
    if (entry[plain] === undefined || plain === snake) entry[plain] = value;
  }
  return entry;
}

function slugOf(name: string): string {
  return `custom:${name.trim().toLowerCase().replace(/\s+/g, "-")}`;
}

/** `custom:<name>` always finds its endpoint; a bare name only when no built-in provider has it. */
export function findNamed(
  wanted: string,
  named: readonly NamedEndpoint[],
  registry: ProviderRegistry,
): NamedEndpoint | undefined {
  const lower = wanted.trim().toLowerCase();
  if (lower.startsWith("custom:")) return named.find((one) => one.slug === slugOf(lower.slice("custom:".length)));
  if (registry.find(lower) !== undefined) return undefined;
  return named.find((one) => one.slug === slugOf(lower));
}

function modelsOf(value: unknown): Readonly<Record<string, NamedEndpointModel>> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter((pair): pair is [string, Record<string, unknown>] => isRecord(pair[1]))
      .map(([id, one]) => [
        id,
        {
          ...input("contextLength", positive(one.context_length)),
          ...input("maxTokens", positive(one.max_tokens)),
          ...input("timeoutSeconds", positive(one.timeout_seconds)),
          ...input("staleTimeoutSeconds", positive(one.stale_timeout_seconds)),
        },
      ]),
  );
}

function input<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return defined({ [key]: value }) as { readonly [P in K]?: V };
}

function secretOf(value: unknown): Secret | undefined {
  if (value instanceof Secret) return value.isEmpty ? undefined : value;
  const text = nonEmpty(value);
  return text === undefined ? undefined : new Secret(text);
}

function positive(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;
}

const userModes: ReadonlySet<string> = new Set(["chat_completions", "codex_responses", "anthropic_messages"]);

function protocolOf(value: unknown): ProtocolName | undefined {
  return typeof value === "string" && userModes.has(value) ? (value as ProtocolName) : undefined;
}

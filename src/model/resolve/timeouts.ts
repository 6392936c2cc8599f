import type { TargetTimeouts } from "../target.ts";
import type { ProviderSettings } from "./settings.ts";

export interface TimeoutFacts {
  readonly settings: ProviderSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Key under `providers`. */
  readonly provider: string;
  readonly model: string;
  readonly isLocal: boolean;
  readonly isAnthropicWire: boolean;
  /** What a named endpoint says about itself. */
  readonly requestSeconds?: number;
  readonly staleSeconds?: number;
  readonly delaySeconds?: number;
}

const defaults = { request: 1800, read: 120, anthropicRead: 900, stale: 180, wholeStale: 300 } as const;

/** The model's own setting, the provider's, the environment, then the default. A local server may take its time. */
export function timeoutsFor(facts: TimeoutFacts): TargetTimeouts {
  const provider = facts.settings.providers?.[facts.provider];
  const model = provider?.models?.[facts.model];
  const general = facts.settings.timeouts ?? {};
  const total = first(
    model?.timeout_seconds,
    facts.requestSeconds,
    provider?.request_timeout_seconds,
    fromEnv(facts.env, "HERMES_API_TIMEOUT"),
    general.request_seconds,
  );
  const stale = first(model?.stale_timeout_seconds, facts.staleSeconds, provider?.stale_timeout_seconds);
  const read = first(fromEnv(facts.env, "HERMES_STREAM_READ_TIMEOUT"), unlessDefault(general.stream_read_seconds, 120));
  const streamStale =
    stale ?? first(fromEnv(facts.env, "HERMES_STREAM_STALE_TIMEOUT"), unlessDefault(general.stream_stale_seconds, 180));
  const wholeStale =
    stale ?? first(fromEnv(facts.env, "HERMES_API_CALL_STALE_TIMEOUT"), unlessDefault(general.call_stale_seconds, 300));
  const delay = facts.delaySeconds ?? provider?.rate_limit_delay;
  const totalSeconds = total ?? defaults.request;
  const usualRead = facts.isAnthropicWire ? defaults.anthropicRead : defaults.read;
  return {
    connectMs: facts.isAnthropicWire ? 10_000 : 30_000,
    totalMs: totalSeconds * 1000,
    streamReadMs: (read ?? (facts.isLocal ? totalSeconds : usualRead)) * 1000,
    streamStaleMs: (streamStale ?? (facts.isLocal ? 0 : defaults.stale)) * 1000,
    wholeStaleMs: (wholeStale ?? (facts.isLocal ? 0 : defaults.wholeStale)) * 1000,
    ...(delay === undefined ? {} : { minIntervalMs: delay * 1000 }),
  };
}

function first(...values: readonly (number | undefined)[]): number | undefined {
  return values.find((value) => value !== undefined && Number.isFinite(value) && value >= 0);
}

/** Settings always carry a value; one that equals the default was not set by anybody. */
function unlessDefault(value: number | undefined, usual: number): number | undefined {
  return value === usual ? undefined : value;
}

function fromEnv(env: TimeoutFacts["env"], name: string): number | undefined {
  const text = env[name]?.trim();
  return text === undefined || !/^\d+(?:\.\d+)?$/.test(text) ? undefined : Number(text);
}

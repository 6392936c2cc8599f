import type { Secret } from "#foundation/secrets/secret";
import { nonEmpty } from "#foundation/text/text";

/** A section of `config.yaml`, by the names it has there; the config subsystem's values fit as they are. */
export interface ModelSettings {
  readonly default?: string | undefined;
  readonly provider?: string | undefined;
  readonly base_url?: string | undefined;
  readonly api_key?: Secret | undefined;
  readonly api_mode?: string | undefined;
  readonly context_length?: number | undefined;
  readonly max_tokens?: number | undefined;
}

interface PerModelSettings {
  readonly context_length?: number | undefined;
  readonly max_tokens?: number | undefined;
  readonly timeout_seconds?: number | undefined;
  readonly stale_timeout_seconds?: number | undefined;
}

interface OneProviderSettings {
  readonly name?: string | undefined;
  readonly base_url?: string | undefined;
  readonly key_env?: string | undefined;
  readonly api_key?: Secret | undefined;
  readonly api_mode?: string | undefined;
  readonly default_model?: string | undefined;
  readonly context_length?: number | undefined;
  readonly models?: Readonly<Record<string, PerModelSettings>> | undefined;
  readonly request_timeout_seconds?: number | undefined;
  readonly stale_timeout_seconds?: number | undefined;
  readonly rate_limit_delay?: number | undefined;
  readonly prefer_env_token?: boolean | undefined;
}

export interface RoutingSettings {
  readonly sort?: string | undefined;
  readonly only?: readonly string[] | undefined;
  readonly ignore?: readonly string[] | undefined;
  readonly order?: readonly string[] | undefined;
  readonly require_parameters?: boolean | undefined;
  readonly data_collection?: string | undefined;
}

/** The settings that decide where a request goes; everything is optional. */
export interface ProviderSettings {
  /** A plain string stands for `{default: …}`. */
  readonly model?: ModelSettings | string | undefined;
  readonly providers?: Readonly<Record<string, OneProviderSettings>> | undefined;
  readonly custom_providers?: unknown | undefined;
  readonly model_aliases?: Readonly<
    Record<string, { readonly model?: string; readonly provider?: string; readonly base_url?: string }>
  >;
  readonly credential_pool_strategies?: Readonly<Record<string, string>> | undefined;
  readonly credential_pool?: {
    readonly cooldown_seconds?: { readonly rate_limit?: number; readonly billing?: number } | undefined;
  };
  readonly provider_routing?: RoutingSettings | undefined;
  readonly bedrock?: {
    readonly region?: string | undefined;
    readonly guardrail?: {
      readonly guardrail_identifier?: string | undefined;
      readonly guardrail_version?: string | undefined;
      readonly stream_processing_mode?: string | undefined;
      readonly trace?: string | undefined;
    };
  };
  readonly timeouts?: {
    readonly request_seconds?: number | undefined;
    readonly stream_read_seconds?: number | undefined;
    readonly stream_stale_seconds?: number | undefined;
    readonly call_stale_seconds?: number | undefined;
  };
}

/** `model` as a group of keys, empty texts as absent. */
export function modelSettings(settings: ProviderSettings): ModelSettings {
  const { model } = settings;
  if (model === undefined) return {};
  if (typeof model === "string") return model.trim() === "" ? {} : { default: model.trim() };
  const legacy = (model as { readonly model?: unknown }).model;
  const name = nonEmpty(model.default) ?? (typeof legacy === "string" ? nonEmpty(legacy) : undefined);
  const { default: _written, ...rest } = model;
  return name === undefined ? rest : { ...rest, default: name };
}

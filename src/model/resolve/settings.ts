import type { Secret } from "#foundation/secrets/secret";

/** A section of `config.yaml`, by the names it has there; the config subsystem's values fit as they are. */
export interface ModelSettings {
  readonly default?: string;
  readonly provider?: string;
  readonly base_url?: string;
  readonly api_key?: Secret;
  readonly api_mode?: string;
  readonly context_length?: number;
  readonly max_tokens?: number;
}

interface PerModelSettings {
  readonly context_length?: number;
  readonly max_tokens?: number;
  readonly timeout_seconds?: number;
  readonly stale_timeout_seconds?: number;
}

interface OneProviderSettings {
  readonly name?: string;
  readonly base_url?: string;
  readonly key_env?: string;
  readonly api_key?: Secret;
  readonly api_mode?: string;
  readonly default_model?: string;
  readonly context_length?: number;
  readonly models?: Readonly<Record<string, PerModelSettings>>;
  readonly request_timeout_seconds?: number;
  readonly stale_timeout_seconds?: number;
  readonly rate_limit_delay?: number;
  readonly prefer_env_token?: boolean;
}

export interface RoutingSettings {
  readonly sort?: string;
  readonly only?: readonly string[];
  readonly ignore?: readonly string[];
  readonly order?: readonly string[];
  readonly require_parameters?: boolean;
  readonly data_collection?: string;
}

/** The settings that decide where a request goes; everything is optional. */
export interface ProviderSettings {
  /** A plain string stands for `{default: …}`. */
  readonly model?: ModelSettings | string;
  readonly providers?: Readonly<Record<string, OneProviderSettings>>;
  readonly custom_providers?: unknown;
  readonly model_aliases?: Readonly<
    Record<string, { readonly model?: string; readonly provider?: string; readonly base_url?: string }>
  >;
  readonly credential_pool_strategies?: Readonly<Record<string, string>>;
  readonly credential_pool?: {
    readonly cooldown_seconds?: { readonly rate_limit?: number; readonly billing?: number };
  };
  readonly provider_routing?: RoutingSettings;
  readonly bedrock?: {
    readonly region?: string;
    readonly guardrail?: {
      readonly guardrail_identifier?: string;
      readonly guardrail_version?: string;
      readonly stream_processing_mode?: string;
      readonly trace?: string;
    };
  };
  readonly timeouts?: {
    readonly request_seconds?: number;
    readonly stream_read_seconds?: number;
    readonly stream_stale_seconds?: number;
    readonly call_stale_seconds?: number;
  };
}

/** `model` as a group of keys, empty texts as absent. */
export function modelSettings(settings: ProviderSettings): ModelSettings {
  const { model } = settings;
  if (model === undefined) return {};
  if (typeof model === "string") return model.trim() === "" ? {} : { default: model.trim() };
  const legacy = (model as { readonly model?: unknown }).model;
  const name = said(model.default) ?? (typeof legacy === "string" ? said(legacy) : undefined);
  const { default: _written, ...rest } = model;
  return name === undefined ? rest : { ...rest, default: name };
}

/** A text that says something. */
export function said(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === undefined || trimmed === "" ? undefined : trimmed;
}

import type { ProtocolName, TargetQuirks } from "../target.ts";
import { hostOf } from "./hosts.ts";

export type AuthKind = "api_key" | "oauth_device_code" | "oauth_external" | "external_process" | "aws_sdk" | "none";

/** Chooses a protocol by model name; the first pattern that matches wins. */
interface ProtocolRule {
  readonly model: RegExp;
  readonly protocol: ProtocolName;
}

/** How the list of models is got and which of its entries are offered. */
export interface ModelsSource {
  /** Appended to the base URL, may carry a query; undefined means the curated list is all there is. */
  readonly path?: string;
  /** Entries that are kept; all of them when absent. */
  readonly keep?: "tools-parameter" | "language-with-tool-use" | "not-hidden" | undefined;
  readonly sortBy?: "priority";
  /** Merged with the catalogue for this provider. */
  readonly mergeCatalogue?: boolean;
  /** How long a fetched list stays good; five minutes when absent. */
  readonly cacheMs?: number;
  /** Listed models that are not offered. */
  readonly hide?: RegExp;
}

/** Some services give out keys that only work at another address; the key's beginning tells. */
interface KeyEndpoint {
  readonly keyPrefix: string;
  readonly baseUrl: string;
}

export type ModelNaming =
  | "as-given"
  | "vendor-prefixed"
  | "anthropic"
  | "bare"
  | "bare-dots"
  | "lower-case"
  | "deepseek"
  | "opencode";

/**
 * One inference service. Data only: a provider needs code only for a new wire protocol or a new way
 * to log in.
 */
export interface ProviderProfile {
  readonly id: string;
  readonly label: string;
  readonly aliases: readonly string[];
  readonly authKind: AuthKind;
  readonly baseUrl: string;
  /** Environment variables that replace the base URL, in the order they are tried. */
  readonly baseUrlEnv: readonly string[];
  /** Environment variables that may hold the key, in the order they are tried. */
  readonly keyEnv: readonly string[];
  /** Where credentials of this provider may be sent, besides the host of an explicit base URL. */
  readonly allowedHosts: readonly string[];
  /** Undefined: decided by the base URL. */
  readonly protocol?: ProtocolName;
  readonly protocolRules?: readonly ProtocolRule[];
  readonly isAggregator?: boolean;
  readonly models: ModelsSource;
  /** Offered first; the first entry is the default. */
  readonly curatedModels: readonly string[];
  /** Cheap model for side calls; undefined means the main model. */
  readonly auxModel?: string;
  readonly visionModel?: string;
  /** Non-secret headers sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Holds for every model; what depends on the model or the host stands in `quirks.ts`. */
  readonly quirks?: TargetQuirks;
  /** Output limit of ordinary calls when the user sets none. */
  readonly defaultOutputTokens?: number;
  /** `x-api-key` style header instead of a bearer token. */
  readonly keyHeader?: string;
  readonly keyEndpoints?: readonly KeyEndpoint[];
  /** Other addresses of the same service; set-up tries which of them a key works at. */
  readonly probeBaseUrls?: readonly string[];
  /** Never picked by `auto`, because its credentials are often there for another reason. */
  readonly isNeverAutomatic?: boolean;
  /** Costs nothing per token (a subscription). */
  readonly isSubscription?: boolean;
  /** How a model name is written for this provider. */
  readonly modelNaming: ModelNaming;
  /** Shown once before the first login, and needed before identification headers of another client are sent. */
  readonly policyNotice?: string;
  /** Shown with the provider in pickers and after a failed login. */
  readonly signUpUrl?: string;
}

/** A profile with the usual values filled in. */
export function profile(
  given: Pick<ProviderProfile, "id" | "label" | "baseUrl" | "curatedModels"> & Partial<ProviderProfile>,
): ProviderProfile {
  const host = /^https?:/.test(given.baseUrl) ? hostOf(given.baseUrl) : undefined;
  return {
    aliases: [],
    authKind: "api_key",
    baseUrlEnv: [],
    keyEnv: [],
    allowedHosts: host === undefined ? [] : [host],
    models: {},
    modelNaming: "bare",
    ...given,
  };
}

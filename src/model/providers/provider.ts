import type { ProtocolName, TargetQuirks } from "../target.ts";
import type { AccountProbe } from "./account-probes.ts";
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

/** How an endpoint of this provider differs, for some of its models, wires or paths. Every rule that applies counts; later ones win. */
export interface QuirkRule {
  /** Matched against the name in lower case. */
  readonly model?: RegExp;
  readonly protocol?: ProtocolName;
  /** Matched against the path of the base URL. */
  readonly path?: RegExp;
  readonly quirks: TargetQuirks;
}

/** What the catalogue of models has to know about a provider. */
export interface CatalogueFacts {
  /** Its name in models.dev, where that is another. */
  readonly name?: string;
  /** It makes its models: what the shipped table says about them holds elsewhere too. */
  readonly isMaker?: boolean;
  /** Its model list is the public catalogue that every process keeps anyway. */
  readonly isPublicList?: boolean;
  /** The window is the provider's and not the model's. */
  readonly window?: number;
  /** Learned windows from this size on were recorded by mistake. */
  readonly learnedBelow?: number;
  /** A table of its own, for a provider that does not report windows. */
  windowOf?(model: string): number | undefined;
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
  /** Holds for every model. */
  readonly quirks?: TargetQuirks;
  /** Also used for endpoints of the person's own on this provider's hosts. */
  readonly quirkRules?: readonly QuirkRule[];
  /** Further headers for some models. */
  readonly modelHeaders?: readonly { readonly model: RegExp; readonly headers: Readonly<Record<string, string>> }[];
  /** Output limit of ordinary calls when the user sets none. */
  readonly defaultOutputTokens?: number;
  /** `x-api-key` style header instead of a bearer token. */
  readonly keyHeader?: string;
  readonly keyEndpoints?: readonly KeyEndpoint[];
  /** What its keys begin with, where that tells them from others. */
  readonly keyPrefixes?: readonly string[];
  /** Variables of `keyEnv` that other programs set for their own children: finding one is no choice of this provider. */
  readonly foreignKeyEnv?: readonly string[];
  /** Keys go to the provider's own hosts even where the settings name another address; that one needs a key of its own. */
  readonly keepsKeysHome?: boolean;
  /** Subscription tokens go to these hosts and to nobody who merely speaks the same language. */
  readonly loginHosts?: readonly string[];
  /** Variables with static keys for this provider's models on Azure. */
  readonly azureKeyEnv?: readonly string[];
  /** Other addresses of the same service; set-up tries which of them a key works at. */
  readonly probeBaseUrls?: readonly string[];
  /** Never picked by `auto`, because its credentials are often there for another reason. */
  readonly isNeverAutomatic?: boolean;
  /** `auto` takes it before all others that have a key, and a key given without a provider is taken for one of its. */
  readonly isFirstChoice?: boolean;
  /** Side calls without a choice of their own try providers with a rank first, the lowest before the others. */
  readonly sideCallRank?: number;
  /** Costs nothing per token (a subscription). */
  readonly isSubscription?: boolean;
  /** Limits of the account hold for all processes and are remembered between them. */
  readonly hasSharedLimits?: boolean;
  /** Claude models are asked for their whole output, which the provider would otherwise cut. */
  readonly asksWholeClaudeOutput?: boolean;
  /** Its models are told a wrong name, which they repeat; the prompt names the right one. */
  readonly misreportsModel?: boolean;
  /** Takes `provider_routing` of the settings. */
  readonly takesRouting?: boolean;
  /** The person's own endpoint: everything about it comes from the settings. */
  readonly isOwnEndpoint?: boolean;
  /** Its models run in a process of Hermes itself. */
  readonly isServedHere?: boolean;
  readonly catalogue?: CatalogueFacts;
  /** How the account is asked what is left. */
  readonly account?: AccountProbe;
  /** What is said when there is no login. */
  readonly missingLogin?: { readonly code: string; readonly message: string };
  /** How a model name is written for this provider. */
  readonly modelNaming: ModelNaming;
  /** Shown once before the first login, and needed before identification headers of another client are sent. */
  readonly policyNotice?: string;
  /** Shown with the provider in pickers and after a failed login. */
  readonly signUpUrl?: string;
}

/** A profile with the usual values filled in. */
export function profile(
  input: Pick<ProviderProfile, "id" | "label" | "baseUrl" | "curatedModels"> & Partial<ProviderProfile>,
): ProviderProfile {
  const host = /^https?:/.test(input.baseUrl) ? hostOf(input.baseUrl) : undefined;
  return {
    aliases: [],
    authKind: "api_key",
    baseUrlEnv: [],
    keyEnv: [],
    allowedHosts: host === undefined ? [] : [host],
    models: {},
    modelNaming: "bare",
    ...input,
  };
}

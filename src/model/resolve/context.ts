import type { Logger } from "#foundation/files/logger";
import type { Secret } from "#foundation/secrets/secret";
import type { Clock } from "#foundation/time/clock";
import type { LimitsQuery, ModelKnowledge } from "../catalog/knowledge.ts";
import type { CredentialHandle } from "../credential-handle.ts";
import type { AuthFile } from "../credentials/auth-file.ts";
import type { Keychain } from "../credentials/keychain.ts";
import type { AuthFlow } from "../credentials/oauth/flow.ts";
import type { CredentialPool, PoolMember } from "../credentials/pool/pool.ts";
import type { PoolMemory } from "../credentials/pool/pool-memory.ts";
import type { Environment } from "../credentials/sources.ts";
import type { DetectedServer } from "../providers/local/local.ts";
import type { ModelsCache } from "../providers/models/models-cache.ts";
import type { ProviderRegistry } from "../providers/registry.ts";
import type { ProtocolName, Target } from "../target.ts";
import type { ProviderSettings } from "./settings.ts";

/** What somebody wants a target for. Everything left out is decided by settings and credentials. */
export interface TargetRequest {
  /** An id, an alias, `custom`, `custom:<name>` or `auto`. */
  readonly provider?: string;
  /** As typed; written the provider's way by the resolver. */
  readonly model?: string;
  readonly baseUrl?: string;
  /** Goes to `baseUrl`, or to the provider's own hosts when there is none. */
  readonly apiKey?: Secret;
  /** A variable that holds the key, as entries of a fallback chain name it. */
  readonly keyEnv?: string;
  readonly protocol?: ProtocolName;
  /** Where the wish comes from, for people: `flag`, `fallback 1`. */
  readonly source?: string;
  /** One-shot runs may take their model from the environment. */
  readonly isOneShot?: boolean;
}

/** A model that Hermes itself can run on this machine. */
export interface ServedModel {
  readonly id: string;
  readonly contextWindow: number;
}

/** The models in files of this home, and the process that runs them. */
export interface ServedModels {
  list(): Promise<readonly ServedModel[]>;
  /** Where they are served, now or from the first request on. */
  address(signal: AbortSignal): Promise<{ readonly baseUrl: string; readonly token: Secret }>;
  /** Returns when they are served. Rejects with an error for people when that cannot be. */
  ready(signal: AbortSignal): Promise<void>;
}

export interface ResolveContext {
  readonly registry: ProviderRegistry;
  readonly settings: ProviderSettings;
  readonly env: Environment;
  readonly authFile: AuthFile;
  /** The logins there are, by provider. */
  readonly flows: ReadonlyMap<string, AuthFlow>;
  readonly clock: Clock;
  readonly userHome: string;
  readonly hermesHome: string;
  /** Version of Hermes, for the User-Agent. */
  readonly version: string;
  readonly logger?: Logger;
  readonly keychain?: Keychain;
  readonly models?: ModelsCache;
  lookUp?(query: LimitsQuery): ModelKnowledge;
  /** The models of a provider in the public catalogue, from its cache. */
  catalogued?(provider: string): readonly string[];
  /** Asks a server of this machine what it is; left out, nothing local is asked. */
  detectLocal?(baseUrl: string, model: string | undefined, signal: AbortSignal): Promise<DetectedServer | undefined>;
  /** Left out, no model runs on this machine. */
  readonly served?: ServedModels;
  /** The built-in demo model, served at first use; left out, there is none. */
  demo?(): Promise<Target>;
  /** Until when Nous is to be passed over. */
  nousBlockedUntilMs?(): Promise<number | undefined>;
  /** Lets everybody in the process who uses a pool share its leases and turns. */
  readonly pools?: PoolMemory;
  /** Notices that are said once in the life of the process. */
  readonly once?: OnceNotices;
}

/** True the first time for each key. */
export class OnceNotices {
  readonly #seen = new Set<string>();

  first(key: string): boolean {
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }
}

/** One place that was looked at on the way to a decision, and what came of it. Never holds a secret. */
export interface Consideration {
  readonly candidate: string;
  readonly verdict: "taken" | "skipped";
  readonly reason: string;
}

export interface ResolutionFailure {
  readonly kind: "failure";
  /** Stable: `invalid_provider`, `no_provider_configured`, `missing_api_key`, … */
  readonly code: string;
  readonly message: string;
  /** One imperative sentence with the exact command. */
  readonly hint: string;
  readonly provider?: string;
  readonly source?: string;
  readonly explanation: readonly Consideration[];
}

export interface ResolvedTarget {
  readonly kind: "target";
  readonly target: Target;
  readonly notices: readonly string[];
  /** What was asked for, before aliases. */
  readonly requestedProvider: string;
  /** Where another credential comes from when this one is refused. */
  readonly pool?: CredentialPool;
  /** The same target with another credential of the pool, at that credential's own address. */
  retarget?(member: PoolMember, credential: CredentialHandle): Target;
  readonly expiresAtMs?: number;
  readonly region?: string;
  readonly projectId?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly explanation: readonly Consideration[];
}

export type Resolution = ResolvedTarget | ResolutionFailure;

/** Window of a model nobody knows. */
export const unknownWindow = 128_000;

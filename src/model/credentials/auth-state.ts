import { isRecord } from "#foundation/text/json";
import { type PoolEntry, readPoolEntry, writePoolEntry } from "./pool-entry.ts";

/** The content of `auth.json`. What this version does not know is kept as it was found. */
export interface AuthState {
  readonly raw: Readonly<Record<string, unknown>>;
}

export const emptyAuthState: AuthState = { raw: { version: 1 } };

export function readAuthState(value: unknown): AuthState | undefined {
  return isRecord(value) ? { raw: value } : undefined;
}

/** Who was logged in to last; what `auto` tries first. */
export function activeProvider(state: AuthState): string | undefined {
  const { active_provider: active } = state.raw;
  return typeof active === "string" && active.trim() !== "" ? active.trim() : undefined;
}

export function withActiveProvider(state: AuthState, provider: string | undefined): AuthState {
  return { raw: { ...state.raw, active_provider: provider ?? null } };
}

/** The login of a provider, as its own flow wrote it. */
export function loginOf(state: AuthState, provider: string): Readonly<Record<string, unknown>> | undefined {
  const { providers } = state.raw;
  const login = isRecord(providers) ? providers[provider] : undefined;
  return isRecord(login) ? login : undefined;
}

export function withLogin(
  state: AuthState,
  provider: string,
  login: Readonly<Record<string, unknown>> | undefined,
): AuthState {
  return { raw: { ...state.raw, providers: withKey(state.raw.providers, provider, login) } };
}

/** Stored credentials of one provider, in the order they were written. */
export function poolOf(state: AuthState, provider: string): readonly PoolEntry[] {
  const { credential_pool: pool } = state.raw;
  const list = isRecord(pool) ? pool[provider] : undefined;
  return Array.isArray(list) ? list.map(readPoolEntry).filter((entry) => entry !== undefined) : [];
}

export function withPool(state: AuthState, provider: string, entries: readonly PoolEntry[]): AuthState {
  const list = entries.length === 0 ? undefined : entries.map(writePoolEntry);
  return { raw: { ...state.raw, credential_pool: withKey(state.raw.credential_pool, provider, list) } };
}

/** Sources the person removed; they stay away until added again. */
export function suppressedSources(state: AuthState, provider: string): readonly string[] {
  const { suppressed_sources: all } = state.raw;
  const list = isRecord(all) ? all[provider] : undefined;
  return Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
}

export function withSuppressed(state: AuthState, provider: string, sources: readonly string[]): AuthState {
  const list = sources.length === 0 ? undefined : [...new Set(sources)];
  return { raw: { ...state.raw, suppressed_sources: withKey(state.raw.suppressed_sources, provider, list) } };
}

/** Providers whose notice the person has accepted, with the moment. */
export function acceptedNotices(state: AuthState): ReadonlySet<string> {
  const { accepted_notices: accepted } = state.raw;
  return new Set(isRecord(accepted) ? Object.keys(accepted) : []);
}

/** Without a moment the agreement is withdrawn. */
export function withAcceptedNotice(state: AuthState, provider: string, at: Date | undefined): AuthState {
  return { raw: { ...state.raw, accepted_notices: withKey(state.raw.accepted_notices, provider, at?.toISOString()) } };
}

/** Which of several addresses a key works at, found by trying; kept under a fingerprint of the key. */
export function probedBaseUrl(state: AuthState, provider: string, fingerprint: string): string | undefined {
  const probed = loginOf(state, provider)?.detected_endpoints;
  const url = isRecord(probed) ? probed[fingerprint] : undefined;
  return typeof url === "string" ? url : undefined;
}

export function withProbedBaseUrl(
  state: AuthState,
  provider: string,
  found: { readonly fingerprint: string; readonly baseUrl: string },
): AuthState {
  const login = loginOf(state, provider) ?? {};
  const probed = withKey(login.detected_endpoints, found.fingerprint, found.baseUrl);
  return withLogin(state, provider, { ...login, detected_endpoints: probed });
}

/** Everything about a provider is forgotten; true for `wasActive` tells the caller to reset the saved choice. */
export function withoutProvider(
  state: AuthState,
  provider: string,
): { readonly state: AuthState; readonly wasActive: boolean } {
  const wasActive = activeProvider(state) === provider;
  const cleared = withPool(withLogin(state, provider, undefined), provider, []);
  return { state: wasActive ? withActiveProvider(cleared, undefined) : cleared, wasActive };
}

function withKey(map: unknown, key: string, value: unknown): Record<string, unknown> {
  const { [key]: _old, ...rest } = isRecord(map) ? map : {};
  return value === undefined ? rest : { ...rest, [key]: value };
}

import { Secret } from "#foundation/secrets/secret";
import type { ProviderProfile } from "../providers/provider.ts";
import type { PoolAuthType } from "./pool-entry.ts";
import type { TokenSource } from "./scoped.ts";
import { cleanKey, usableKey } from "./usable-key.ts";

/** A credential some source holds right now. */
export interface FoundCredential {
  /** `env:<VAR>`, `device_code`, `claude_code`, `hermes_pkce`, `qwen-cli`, `gh_cli`, `config:<name>`, `model_config`. */
  readonly source: string;
  readonly label: string;
  readonly authType: PoolAuthType;
  readonly secret: Secret;
  readonly baseUrl?: string;
  readonly tokens?: TokenSource;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface EnvironmentKey {
  readonly name: string;
  readonly secret: Secret;
}

/** The value of one variable when it can be a key; characters no key has are left out, with a warning. */
export function keyFromEnvironment(
  name: string,
  env: Environment,
  warn: (message: string) => void = () => undefined,
): EnvironmentKey | undefined {
  const raw = env[name];
  if (raw === undefined) return undefined;
  const { value, warning } = cleanKey(name, raw);
  const key = usableKey(value);
  if (key === undefined) return undefined;
  if (warning !== undefined) warn(warning);
  return { name, secret: new Secret(key) };
}

/** Every usable key the environment holds for a provider, in the order of its record, each value once. */
export function environmentCredentials(
  profile: ProviderProfile,
  env: Environment,
  warn?: (message: string) => void,
): readonly FoundCredential[] {
  const found: FoundCredential[] = [];
  for (const name of profile.keyEnv) {
    const key = keyFromEnvironment(name, env, warn);
    if (key === undefined || found.some((one) => one.secret.equals(key.secret))) continue;
    found.push({ source: `env:${name}`, label: name, authType: "api_key", secret: key.secret });
  }
  return found;
}

export interface Consent {
  /** `auth.json` names it as the last login. */
  readonly activeProvider: string | undefined;
  /** `model.provider`, or what was asked for on the command line. */
  readonly chosenProviders: readonly string[];
}

/**
 * Whether another program's login may be read for this provider: only when the person chose the provider.
 * A token variable of that other program alone is not a choice.
 */
export function mayReadForeignLogin(profile: ProviderProfile, env: Environment, consent: Consent): boolean {
  const names = [profile.id, ...profile.aliases];
  const chosen = [consent.activeProvider, ...consent.chosenProviders].filter((name) => name !== undefined);
  if (chosen.some((name) => names.includes(name.toLowerCase()))) return true;
  return profile.keyEnv.some(
    (name) => profile.foreignKeyEnv?.includes(name) !== true && usableKey(env[name]) !== undefined,
  );
}

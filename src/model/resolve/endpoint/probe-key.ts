import type { Secret } from "#foundation/secrets/secret";
import { probedBaseUrl, withProbedBaseUrl } from "../../credentials/auth-state.ts";
import { keyCredential } from "../../credentials/scoped.ts";
import { probeEndpoints } from "../../providers/probe-endpoints.ts";
import type { ProviderProfile } from "../../providers/provider.ts";
import type { ResolveContext } from "../context.ts";
import { keyFingerprint, setEndpoint } from "./endpoint.ts";

interface Probing {
  readonly context: ResolveContext;
  readonly signal: AbortSignal;
}

/** Where this key goes is known: it was tried, or an address is set. */
export async function isPlaced(
  profile: ProviderProfile,
  secret: Secret,
  { context, signal }: Probing,
): Promise<boolean> {
  if (setEndpoint(profile, {}, context) !== undefined) return true;
  const state = await context.authFile.read(signal);
  return probedBaseUrl(state, profile.id, keyFingerprint(secret.reveal())) !== undefined;
}

/**
 * Finds out at which address of a service a key works, and remembers it with the key's fingerprint. For set-up and repair
 * only. Undefined: the service has one address, another is set, or the key works nowhere.
 */
export async function probeKey(
  profile: ProviderProfile,
  secret: Secret,
  { context, signal }: Probing,
): Promise<string | undefined> {
  const [model] = profile.curatedModels;
  const { probeBaseUrls: baseUrls } = profile;
  if (baseUrls === undefined || model === undefined || setEndpoint(profile, {}, context) !== undefined)
    return undefined;
  const credential = keyCredential({
    id: "probe",
    source: "probe",
    scheme: { kind: "bearer" },
    allowedHosts: profile.allowedHosts,
    secret,
  });
  const baseUrl = await probeEndpoints({ baseUrls, credential, model }, signal);
  if (baseUrl === undefined) return undefined;
  const found = { fingerprint: keyFingerprint(secret.reveal()), baseUrl };
  await context.authFile.update((state) => withProbedBaseUrl(state, profile.id, found), signal);
  return baseUrl;
}

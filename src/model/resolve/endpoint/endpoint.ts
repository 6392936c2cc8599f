import { createHash } from "node:crypto";
import { nonEmpty } from "#foundation/text/text";
import type { AuthState } from "../../credentials/auth-state.ts";
import { probedBaseUrl } from "../../credentials/auth-state.ts";
import { isLocalUrl } from "../../providers/hosts.ts";
import type { ProviderProfile } from "../../providers/provider.ts";
import { defaultBedrockRegion } from "../../providers/records/clouds.ts";
import type { ResolveContext, TargetRequest } from "../context.ts";
import { modelSettings } from "../settings.ts";

export interface Endpoint {
  readonly url: string;
  /** `explicit`, `config`, the variable's name, or `default`. */
  readonly origin: string;
  /** The person set it, so the provider's credentials may go there. */
  readonly isExplicit: boolean;
}

/** The address set for a provider: by argument, in the settings next to it, in its own section, in the environment. */
export function setEndpoint(
  profile: ProviderProfile,
  request: TargetRequest,
  context: ResolveContext,
): Endpoint | undefined {
  const explicit = nonEmpty(request.baseUrl);
  if (explicit !== undefined) return { url: explicit, origin: "explicit", isExplicit: true };
  const saved = savedUrl(profile, context);
  if (saved !== undefined) return { url: saved, origin: "config", isExplicit: true };
  const own = nonEmpty(context.settings.providers?.[profile.id]?.base_url);
  if (own !== undefined) return { url: own, origin: "config", isExplicit: true };
  for (const name of profile.baseUrlEnv) {
    const value = nonEmpty(context.env[name]);
    if (value !== undefined) return { url: value, origin: `env:${name}`, isExplicit: true };
  }
  return undefined;
}

/** `model.base_url` belongs to the provider recorded beside it; `custom` may also use a local one of another. */
function savedUrl(profile: ProviderProfile, context: ResolveContext): string | undefined {
  const model = modelSettings(context.settings);
  const url = nonEmpty(model.base_url);
  if (url === undefined) return undefined;
  const recorded = nonEmpty(model.provider);
  const isUnrecorded = recorded === undefined || recorded.toLowerCase() === "auto";
  const owner = isUnrecorded ? undefined : context.registry.find(recorded);
  if (owner?.id === profile.id) return url;
  if (profile.isOwnEndpoint !== true) return undefined;
  return isUnrecorded || isLocalUrl(url) ? url : undefined;
}

/** The provider's own address; some give other addresses to other keys. */
export function ownEndpoint(
  profile: ProviderProfile,
  key: string | undefined,
  facts: { readonly state: AuthState; readonly region: string },
): Endpoint | undefined {
  const byKey = key === undefined ? undefined : profile.keyEndpoints?.find((one) => key.startsWith(one.keyPrefix));
  if (byKey !== undefined) return { url: byKey.baseUrl, origin: "default", isExplicit: false };
  const probed =
    key === undefined || profile.probeBaseUrls === undefined
      ? undefined
      : probedBaseUrl(facts.state, profile.id, keyFingerprint(key));
  // Only an address of the record's own list is believed; the file could name any.
  if (probed !== undefined && profile.probeBaseUrls?.includes(probed) === true) {
    return { url: probed, origin: "default", isExplicit: false };
  }
  if (profile.baseUrl === "") return undefined;
  const url = profile.baseUrl.replace(`.${defaultBedrockRegion}.`, `.${facts.region}.`);
  return { url, origin: "default", isExplicit: false };
}

export function keyFingerprint(key: string): string {
  return createHash("sha256").update(key).digest("hex").slice(0, 16);
}

const regionPattern = /^[a-z]{2}(?:-[a-z]+)+-\d$/;

export function awsRegion(context: Pick<ResolveContext, "settings" | "env">): string {
  const wanted =
    nonEmpty(context.settings.bedrock?.region) ??
    nonEmpty(context.env.AWS_REGION) ??
    nonEmpty(context.env.AWS_DEFAULT_REGION);
  // The region becomes part of a host name, so nothing but a region may stand there.
  return wanted !== undefined && regionPattern.test(wanted) ? wanted : defaultBedrockRegion;
}

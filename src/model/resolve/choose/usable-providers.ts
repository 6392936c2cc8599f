import { poolOf, suppressedSources } from "../../credentials/auth-state.ts";
import { hasAwsCredentials } from "../../credentials/aws/chain.ts";
import type { ProviderProfile } from "../../providers/provider.ts";
import type { ResolveContext } from "../context.ts";
import { findCredentials } from "../found-credentials.ts";

export interface UsableProvider {
  readonly profile: ProviderProfile;
  /** Where its credential comes from. */
  readonly source: string;
  /** Its models, where they are known without asking anybody. */
  readonly models?: readonly string[];
}

/** Providers of the registry that have a credential now, in the order of the registry. No network. */
export async function usableProviders(
  context: ResolveContext,
  signal: AbortSignal,
): Promise<readonly UsableProvider[]> {
  const state = await context.authFile.read(signal);
  const usable: UsableProvider[] = [];
  for (const profile of context.registry.all()) {
    if (profile.isOwnEndpoint === true || profile.authKind === "external_process") continue;
    if (profile.isServedHere === true) {
      const served = (await context.served?.list()) ?? [];
      if (served.length > 0)
        usable.push({ profile, source: "models of this home", models: served.map(({ id }) => id) });
      continue;
    }
    if (profile.authKind === "aws_sdk") {
      const chain = { env: context.env, userHome: context.userHome, clock: context.clock };
      if (await hasAwsCredentials(chain)) usable.push({ profile, source: "AWS credentials" });
      continue;
    }
    const found = await findCredentials({ profile, requested: "", state, warn: () => undefined }, context, signal);
    const suppressed = suppressedSources(state, profile.id);
    const source =
      found.find((one) => !suppressed.includes(one.source))?.source ??
      poolOf(state, profile.id).find((entry) => entry.accessToken !== undefined)?.source;
    if (source !== undefined) usable.push({ profile, source });
  }
  return usable;
}

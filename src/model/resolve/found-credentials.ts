import type { AuthState } from "../credentials/auth-state.ts";
import { activeProvider } from "../credentials/auth-state.ts";
import { poolSlot } from "../credentials/login-slot.ts";
import type { AuthFlow } from "../credentials/oauth/flow.ts";
import type { PoolMember } from "../credentials/pool/pool.ts";
import type { TokenSource } from "../credentials/scoped.ts";
import { environmentCredentials, type FoundCredential, mayReadForeignLogin } from "../credentials/sources.ts";
import type { ProviderProfile } from "../providers/provider.ts";
import type { ResolveContext } from "./context.ts";
import { modelSettings } from "./settings.ts";

export interface FindOptions {
  readonly profile: ProviderProfile;
  /** What the person asked for, so that other programs' logins may be read. */
  readonly requested: string;
  readonly state: AuthState;
  readonly warn: (message: string) => void;
}

/** Everything the sources hold for a provider, best first. No network. */
export async function findCredentials(
  options: FindOptions,
  context: ResolveContext,
  signal: AbortSignal,
): Promise<readonly FoundCredential[]> {
  const { profile, state, warn } = options;
  const configured = modelSettings(context.settings).provider;
  const consent = {
    activeProvider: activeProvider(state),
    chosenProviders: [options.requested, configured].filter((one) => one !== undefined),
  };
  const isChosen = mayReadForeignLogin(profile, context.env, consent);
  const flow = context.flows.get(profile.id);
  if (flow?.find !== undefined) {
    const preferEnvironment = context.settings.providers?.[profile.id]?.prefer_env_token === true;
    const { keychain } = context;
    return flow.find({ mayReadForeignLogin: isChosen, preferEnvironment, keychain, warn }, signal);
  }
  const fromEnvironment = environmentCredentials(profile, context.env, warn);
  if (flow === undefined || (flow.isForeign === true && !isChosen)) return fromEnvironment;
  return [...fromEnvironment, ...(await loginCredentials(profile, flow, signal))];
}

async function loginCredentials(
  profile: ProviderProfile,
  flow: AuthFlow,
  signal: AbortSignal,
): Promise<readonly FoundCredential[]> {
  const status = await flow.status(signal);
  if (status.kind === "logged-out") return [];
  return [
    {
      source: status.source,
      label: status.account ?? `${profile.label} login`,
      authType: "oauth",
      secret: status.secret,
      tokens: flow.tokens(),
    },
  ];
}

/** Renews logins that a pool stores itself: further accounts the person added. */
export function poolTokensFor(profile: ProviderProfile, context: ResolveContext) {
  return (member: PoolMember): TokenSource | undefined =>
    context.flows.get(profile.id)?.poolTokens?.(poolSlot(context.authFile, profile.id, member.id));
}

import { anthropicCredentials } from "../credentials/anthropic-sources.ts";
import type { AuthState } from "../credentials/auth-state.ts";
import { activeProvider } from "../credentials/auth-state.ts";
import { poolSlot } from "../credentials/login-slot.ts";
import { codexTokens } from "../credentials/oauth/codex.ts";
import { findGitHubToken } from "../credentials/oauth/copilot.ts";
import type { FlowContext } from "../credentials/oauth/flow.ts";
import { NousTokens } from "../credentials/oauth/nous.ts";
import type { PoolMember } from "../credentials/pool.ts";
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
  if (profile.id === "anthropic") {
    const preferEnvironment = context.settings.providers?.anthropic?.prefer_env_token === true;
    return anthropicCredentials(
      {
        flow: flowContext(context),
        ...(context.keychain === undefined ? {} : { keychain: context.keychain }),
        mayReadForeignLogin: isChosen,
        preferEnvironment,
        warn,
      },
      signal,
    );
  }
  if (profile.id === "copilot") return isChosen ? copilotCredentials(context, signal) : [];
  const fromEnvironment = environmentCredentials(profile, context.env, warn);
  // The Qwen file is another program's; it is read only for somebody who chose Qwen.
  if (profile.id === "qwen-oauth" && !isChosen) return fromEnvironment;
  return [...fromEnvironment, ...(await loginCredentials(profile, context, signal))];
}

async function loginCredentials(
  profile: ProviderProfile,
  context: ResolveContext,
  signal: AbortSignal,
): Promise<readonly FoundCredential[]> {
  const flow = context.flows.get(profile.id);
  if (flow === undefined) return [];
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

async function copilotCredentials(context: ResolveContext, signal: AbortSignal): Promise<readonly FoundCredential[]> {
  const found = await findGitHubToken(flowContext(context), signal);
  const flow = context.flows.get("copilot");
  if (found.kind !== "token") return [];
  return [
    {
      source: found.source,
      label: "GitHub",
      authType: "oauth",
      secret: found.secret,
      ...(flow === undefined ? {} : { tokens: flow.tokens() }),
    },
  ];
}

/** Renews logins that a pool stores itself: further accounts the person added. */
export function poolTokensFor(profile: ProviderProfile, context: ResolveContext) {
  return (member: PoolMember): TokenSource | undefined => {
    const slot = poolSlot(context.authFile, profile.id, member.id);
    if (profile.id === "openai-codex") return codexTokens(slot, flowContext(context));
    if (profile.id === "nous") return new NousTokens(slot, flowContext(context));
    return undefined;
  };
}

export function flowContext(context: ResolveContext): FlowContext {
  const { authFile, clock, env, userHome, hermesHome } = context;
  return { authFile, clock, env, userHome, hermesHome };
}

import { defined } from "#foundation/defined";
import type { CredentialHandle } from "../credential-handle.ts";
import { subscriptionShape } from "../providers/anthropic-subscription.ts";
import { scopeOf } from "../providers/hosts.ts";
import type { ProviderProfile } from "../providers/provider.ts";
import type { ProtocolName } from "../target.ts";
import type { PoolMember } from "./pool/pool-members.ts";
import { isManual } from "./pool-entry.ts";
import { isAnthropicLoginToken, schemeFor } from "./scheme.ts";
import { keyCredential, type TokenSource, tokenCredential } from "./scoped.ts";

export interface HandleContext {
  readonly profile: ProviderProfile;
  readonly protocol: ProtocolName;
  readonly baseUrl: string;
  /** The person set the address of this provider, so its keys may go there too. */
  readonly isExplicitUrl: boolean;
  readonly allowedHosts?: readonly string[];
  /** The notice was accepted, so a subscription token may be shaped as its service wants. */
  readonly isNoticeAccepted: boolean;
  /** Renews what the pool itself stores; undefined where a provider has no such logins. */
  poolTokens?(member: PoolMember): TokenSource | undefined;
}

/** The right to use an endpoint, for one member of a pool. */
export function openHandle(member: PoolMember, context: HandleContext): CredentialHandle {
  const key = member.secret.reveal();
  const baseUrl = member.baseUrl ?? context.baseUrl;
  const { protocol, profile } = context;
  const scheme = schemeFor({
    protocol,
    baseUrl,
    key,
    ...defined({ keyHeader: profile.keyHeader }),
  });
  const loginHosts = isAnthropicLoginToken(key) ? profile.loginHosts : undefined;
  const facts = {
    id: member.id,
    source: isManual(member) ? `pool:${profile.id}` : member.source,
    scheme,
    allowedHosts: loginHosts ?? hostsFor(member, context),
    ...(loginHosts !== undefined ? { shape: subscriptionShape(context.isNoticeAccepted) } : {}),
  };
  const tokens = member.tokens ?? (member.authType === "oauth" ? context.poolTokens?.(member) : undefined);
  if (tokens !== undefined) return tokenCredential({ ...facts, tokens });
  return keyCredential({ ...facts, secret: member.secret });
}

/** A member with an address of its own goes there and nowhere else. */
function hostsFor(member: PoolMember, context: HandleContext): readonly string[] {
  if (member.baseUrl !== undefined) return scopes(member.baseUrl);
  const own = context.allowedHosts ?? context.profile.allowedHosts;
  return context.isExplicitUrl ? [...own, ...scopes(context.baseUrl)] : own;
}

function scopes(url: string): readonly string[] {
  const scope = scopeOf(url);
  return scope === undefined ? [] : [scope];
}

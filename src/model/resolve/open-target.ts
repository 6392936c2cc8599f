import { defined } from "#foundation/defined";
import type { CredentialHandle } from "../credential-handle.ts";
import { acceptedNotices } from "../credentials/auth-state.ts";
import { openHandle } from "../credentials/open-handle.ts";
import { defaultCooldown } from "../credentials/pool/cooldown.ts";
import { CredentialPool, type PoolMember } from "../credentials/pool/pool.ts";
import { joinMembers } from "../credentials/pool/pool-members.ts";
import { toPoolStrategy } from "../credentials/pool/pool-strategy.ts";
import { CredentialUnavailableError, noCredential } from "../credentials/scoped.ts";
import type { FoundCredential } from "../credentials/sources.ts";
import type { ProviderProfile } from "../providers/provider.ts";
import type { ProtocolName, Target } from "../target.ts";
import { otherReadings } from "./base-url.ts";
import { buildTarget, type TargetPlan } from "./build-target.ts";
import type { Resolution, ResolvedTarget } from "./context.ts";
import type { Endpoint } from "./endpoint/endpoint.ts";
import type { Refusal } from "./failures.ts";
import { poolTokensFor } from "./found-credentials.ts";
import { chooseProtocol } from "./protocol.ts";
import type { Step } from "./trace.ts";

/** A provider or endpoint with its credentials found, before one of them is taken. */
export interface OpenPlan {
  readonly profile: ProviderProfile;
  readonly provider: string;
  readonly label: string;
  readonly model: string;
  readonly isConfiguredModel: boolean;
  readonly found: readonly FoundCredential[];
  /** Given by hand or in the settings: used alone, without the stored ones. */
  readonly isExclusive: boolean;
  /** The endpoint may do without a key. */
  readonly isKeyless: boolean;
  readonly explicitProtocol?: ProtocolName;
  /** Where a key is used; some services have several addresses and the key tells which. */
  endpointFor(key: string | undefined): Endpoint | undefined;
  readonly allowedHosts?: readonly string[];
  readonly missingKey: Refusal;
  readonly missingUrl: Refusal;
  readonly extra?: Partial<TargetPlan>;
  readonly facts?: Partial<Pick<ResolvedTarget, "region" | "projectId">>;
}

interface Spot {
  readonly url: string;
  readonly origin: string;
  readonly isExplicit: boolean;
  readonly protocol: ProtocolName;
}

/** Takes a credential, checks that it can be used now, and puts the target together. */
export async function openTarget(plan: OpenPlan, parts: Step, signal: AbortSignal): Promise<Resolution> {
  const { trace } = parts;
  const taken = plan.isExclusive ? takeOnly(plan, parts) : await takeFromPool(plan, parts, signal);
  if (taken.kind === "failure") return trace.failed(taken);
  const key = taken.member?.secret.reveal();
  const spot = spotFor(plan, parts, { key, member: taken.member });
  if (spot === undefined) return trace.failed(plan.missingUrl);
  const handle = taken.handle;
  const problem = await preflight(plan, taken, signal);
  if (problem !== undefined) return trace.failed(problem);

  const build = (member: PoolMember | undefined, credential: CredentialHandle): ReturnType<typeof buildTarget> => {
    const at = spotFor(plan, parts, { key: member?.secret.reveal(), member }) ?? spot;
    const built = buildAt(at, plan, { parts, credential });
    if (plan.profile.isOwnEndpoint !== true) return built;
    const written = built.target.writtenUrl ?? at.url;
    const alternatives = (): readonly Target[] =>
      otherReadings(at, plan.explicitProtocol !== undefined).map((reading) => {
        const other = { ...at, ...reading, writtenUrl: written };
        const own = member === undefined ? credential : handleAt(member, other, { plan, parts });
        return buildAt(other, plan, { parts, credential: own }).target;
      });
    return { ...built, target: { ...built.target, alternatives } };
  };
  const built = build(taken.member, handle);
  trace.take(plan.provider, `${handle.source}, ${spot.origin === "default" ? "own address" : spot.origin}`);
  if (built.lacksIdentification && plan.profile.policyNotice !== undefined) {
    trace.noticeOnce(
      `identification:${plan.profile.id}`,
      `${plan.profile.policyNotice} Agree with: hermes auth accept ${plan.profile.id}`,
    );
  }
  return trace.resolved({
    target: built.target,
    requestedProvider: parts.requested,
    ...defined({ pool: taken.pool, expiresAtMs: taken.expiresAtMs }),
    retarget: (member: PoolMember, credential: CredentialHandle): Target => build(member, credential).target,
    ...plan.facts,
  });
}

interface Building {
  readonly parts: Step;
  readonly credential: CredentialHandle;
}

function buildAt(
  spot: Spot & { readonly writtenUrl?: string },
  plan: OpenPlan,
  { parts, credential }: Building,
): ReturnType<typeof buildTarget> {
  return buildTarget(
    {
      provider: plan.provider,
      label: plan.label,
      profile: plan.profile,
      model: plan.model,
      protocol: spot.protocol,
      url: spot.url,
      ...defined({ writtenUrl: spot.writtenUrl }),
      credential,
      source: sourceOf(parts, credential, spot),
      isNoticeAccepted: isNoticeAccepted(plan, parts),
      isConfiguredModel: plan.isConfiguredModel,
      ...plan.extra,
    },
    parts.context,
  );
}

interface Taken {
  readonly kind: "taken";
  readonly member?: PoolMember;
  readonly handle: CredentialHandle;
  readonly pool?: CredentialPool;
  expiresAtMs?: number;
}

function takeOnly(plan: OpenPlan, parts: Step): Taken | Refusal {
  const [member] = joinMembers([], plan.found, []);
  if (member === undefined) return plan.isKeyless ? { kind: "taken", handle: noCredential } : plan.missingKey;
  const handle = handleFor(member, plan, parts);
  return handle === undefined ? plan.missingUrl : { kind: "taken", member, handle };
}

async function takeFromPool(plan: OpenPlan, parts: Step, signal: AbortSignal): Promise<Taken | Refusal> {
  const { context } = parts;
  const seconds = context.settings.credential_pool?.cooldown_seconds;
  const pool = new CredentialPool({
    key: plan.provider,
    authFile: context.authFile,
    found: plan.found,
    openHandle: (member) => handleFor(member, plan, parts) ?? noCredential,
    strategy: toPoolStrategy(context.settings.credential_pool_strategies?.[plan.provider]),
    cooldown: {
      rateLimitMs: seconds?.rate_limit === undefined ? defaultCooldown.rateLimitMs : seconds.rate_limit * 1000,
      billingMs: seconds?.billing === undefined ? defaultCooldown.billingMs : seconds.billing * 1000,
    },
    clock: context.clock,
    ...(context.pools === undefined ? {} : { state: context.pools.of(plan.provider) }),
  });
  const pick = await pool.take(signal);
  switch (pick.kind) {
    case "credential":
      return { kind: "taken", member: pick.member, handle: pick.handle, pool };
    case "empty":
      return plan.isKeyless ? { kind: "taken", handle: noCredential } : plan.missingKey;
    case "exhausted":
      return {
        kind: "failure",
        code: "temporarily_unavailable",
        message: `Every credential for ${plan.label} paused until ${new Date(pick.untilMs).toISOString()}.`,
        hint: `Add another with: hermes auth add ${plan.profile.id}, or end the rest with: hermes auth reset ${plan.profile.id}`,
        provider: plan.provider,
      };
  }
}

function handleFor(member: PoolMember, plan: OpenPlan, parts: Step): CredentialHandle | undefined {
  const spot = spotFor(plan, parts, { key: member.secret.reveal(), member });
  return spot === undefined ? undefined : handleAt(member, spot, { plan, parts });
}

function handleAt(
  member: PoolMember,
  spot: Spot,
  { plan, parts }: { readonly plan: OpenPlan; readonly parts: Step },
): CredentialHandle {
  return openHandle(member, {
    profile: plan.profile,
    protocol: spot.protocol,
    baseUrl: spot.url,
    isExplicitUrl: spot.isExplicit,
    ...defined({ allowedHosts: plan.allowedHosts }),
    isNoticeAccepted: isNoticeAccepted(plan, parts),
    poolTokens: poolTokensFor(plan.profile, parts.context),
  });
}

function spotFor(
  plan: OpenPlan,
  parts: Step,
  input: { readonly key: string | undefined; readonly member: PoolMember | undefined },
): Spot | undefined {
  const own = input.member?.baseUrl;
  const endpoint: Endpoint | undefined =
    own === undefined ? plan.endpointFor(input.key) : { url: own, origin: "pool", isExplicit: true };
  if (endpoint === undefined) return undefined;
  const listed = parts.context.models?.peek(plan.profile.id).find((model) => model.id === plan.model);
  const protocol = chooseProtocol({
    profile: plan.profile,
    model: plan.model,
    baseUrl: endpoint.url,
    ...defined({ explicit: plan.explicitProtocol }),
    ...defined({ endpoints: listed?.endpoints }),
  });
  return { ...endpoint, protocol };
}

/** A login is asked for its token now: one that has run out fails here, where another provider can still be chosen. */
async function preflight(plan: OpenPlan, taken: Taken, signal: AbortSignal): Promise<Refusal | undefined> {
  const tokens = taken.member?.tokens;
  if (tokens === undefined || tokens.isLazy === true) return undefined;
  try {
    const token = await tokens.current(signal);
    if (token.expiresAtMs !== undefined) taken.expiresAtMs = token.expiresAtMs;
    return undefined;
  } catch (error) {
    if (!(error instanceof CredentialUnavailableError)) throw error;
    return {
      kind: "failure",
      code: error.code,
      message: error.message,
      hint: error.hint ?? `Run: hermes auth add ${plan.profile.id}`,
      provider: plan.provider,
      source: taken.handle.source,
    };
  }
}

function isNoticeAccepted(plan: OpenPlan, parts: Step): boolean {
  return acceptedNotices(parts.state).has(plan.profile.id);
}

/** Where the choice came from, in the words of the status line. */
function sourceOf(parts: Step, credential: CredentialHandle, spot: Spot): string {
  if (parts.wanted.source !== undefined) return parts.wanted.source;
  if (credential.id !== "none") return credential.source;
  if (spot.origin !== "default") return spot.origin;
  return parts.origin;
}

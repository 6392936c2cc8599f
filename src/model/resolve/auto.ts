import { nonEmpty } from "#foundation/text/text";
import { activeProvider, poolOf } from "../credentials/auth-state.ts";
import { hasAwsCredentials } from "../credentials/aws/chain.ts";
import { usableKey } from "../credentials/usable-key.ts";
import { hostMatches } from "../providers/hosts.ts";
import type { ProviderProfile } from "../providers/provider.ts";
import type { Resolution } from "./context.ts";
import { noProvider } from "./failures.ts";
import { chooseProvider, type ProviderChoice } from "./requested.ts";
import { modelSettings } from "./settings.ts";
import type { Step } from "./trace.ts";

interface Candidate {
  readonly choice: ProviderChoice;
  readonly reason: string;
  /** A login: when it has run out, the next candidate gets its turn. */
  readonly mayFail: boolean;
}

export type ResolveChoice = (choice: ProviderChoice, parts: Step, signal: AbortSignal) => Promise<Resolution>;

/** Nobody named a provider: the first candidate that works. */
export async function resolveAuto(parts: Step, resolve: ResolveChoice, signal: AbortSignal): Promise<Resolution> {
  const candidates = await findCandidates(parts);
  const [first] = candidates;
  const none = noProvider(parts.wanted.model, parts.context.registry);
  if (first === undefined) return parts.trace.failed(none);
  sayAlternatives(candidates, parts);
  let last: Resolution | undefined;
  for (const candidate of candidates) {
    last = await resolve(candidate.choice, parts, signal);
    if (last.kind === "target" || !candidate.mayFail) return last;
    const name = nameOf(candidate.choice);
    parts.trace.skip(name, last.message);
    parts.trace.notice(`${name} was passed over: ${last.message}`);
  }
  return last ?? parts.trace.failed(none);
}

function nameOf(choice: ProviderChoice): string {
  return choice.kind === "named" ? choice.endpoint.slug : choice.profile.id;
}

async function findCandidates(parts: Step): Promise<readonly Candidate[]> {
  const explicit = explicitCandidate(parts);
  if (explicit !== undefined) return [explicit];
  const { context, trace } = parts;
  const found: Candidate[] = [];
  const add = (name: string, reason: string, mayFail = false): void => {
    const choice = chooseProvider(name, parts.named, context);
    if (choice !== undefined && !found.some((one) => nameOf(one.choice) === nameOf(choice))) {
      found.push({ choice, reason, mayFail });
    }
  };
  const own = context.registry.all().find((profile) => profile.isOwnEndpoint === true)?.id ?? "";
  if (nonEmpty(modelSettings(context.settings).base_url) !== undefined) add(own, "saved endpoint");
  for (const name of ["CUSTOM_BASE_URL", "OPENAI_BASE_URL"]) {
    if (nonEmpty(context.env[name]) !== undefined) add(own, `env:${name}`);
  }
  const active = activeProvider(parts.state);
  if (active !== undefined) add(active, "last login", true);
  const inOrder = context.registry.all().toSorted((one, other) => rank(one) - rank(other));
  for (const profile of inOrder) {
    const reason = keyReason(profile, parts);
    if (reason === undefined) continue;
    if (profile.isNeverAutomatic === true) trace.skip(profile.id, `${reason} is often there for another reason`);
    else add(profile.id, reason);
  }
  const chain = { env: context.env, userHome: context.userHome, clock: context.clock };
  const signed = context.registry.all().find((profile) => profile.authKind === "aws_sdk");
  if (found.length === 0 && signed !== undefined && (await hasAwsCredentials(chain))) add(signed.id, "AWS credentials");
  return found;
}

function rank(profile: ProviderProfile): number {
  return profile.isFirstChoice === true ? 0 : 1;
}

/** A key or an address on the command line, without a provider. */
function explicitCandidate({ wanted, context, named }: Step): Candidate | undefined {
  const url = nonEmpty(wanted.baseUrl);
  if (url === undefined && wanted.apiKey === undefined) return undefined;
  const isMeant = (profile: ProviderProfile): boolean =>
    profile.isFirstChoice === true &&
    (url === undefined || profile.allowedHosts.some((host) => hostMatches(url, host)));
  const all = context.registry.all();
  const found = all.find(isMeant) ?? all.find((profile) => profile.isOwnEndpoint === true);
  const choice = found === undefined ? undefined : chooseProvider(found.id, named, context);
  return choice === undefined ? undefined : { choice, reason: "explicit", mayFail: false };
}

function keyReason(profile: ProviderProfile, { context, state }: Step): string | undefined {
  if (profile.authKind !== "api_key") return undefined;
  const name = profile.keyEnv.find(
    (one) => profile.foreignKeyEnv?.includes(one) !== true && usableKey(context.env[one]) !== undefined,
  );
  if (name !== undefined) return `env:${name}`;
  return poolOf(state, profile.id).some((entry) => entry.accessToken !== undefined) ? "stored credential" : undefined;
}

function sayAlternatives(candidates: readonly Candidate[], { context }: Step): void {
  const [taken, ...others] = candidates;
  if (taken === undefined || others.length === 0) return;
  const key = `auto:${candidates.map((one) => nameOf(one.choice)).join(",")}`;
  if (context.once !== undefined && !context.once.first(key)) return;
  context.logger?.info("several providers are set up; the first one is used", {
    provider: nameOf(taken.choice),
    because: taken.reason,
    alternatives: others.map((one) => `${nameOf(one.choice)} (${one.reason})`),
  });
}

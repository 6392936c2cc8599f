import { defined } from "#foundation/defined";
import type { Secret } from "#foundation/secrets/secret";
import { nonEmpty } from "#foundation/text/text";
import type { FoundCredential } from "../credentials/sources.ts";
import { keyFromEnvironment } from "../credentials/sources.ts";
import { usableKey } from "../credentials/usable-key.ts";
import { hostMatches, hostOf, isAzureUrl, parseUrl, scopeOf } from "../providers/hosts.ts";
import type { ProviderProfile } from "../providers/provider.ts";
import type { Resolution } from "./context.ts";
import { awsRegion, type Endpoint, ownEndpoint, setEndpoint } from "./endpoint/endpoint.ts";
import { badUrl, missingKey, missingModel, missingUrl, type Refusal } from "./failures.ts";
import { findCredentials } from "./found-credentials.ts";
import { chooseModel, type ModelChoice } from "./model-choice.ts";
import { type OpenPlan, openTarget } from "./open-target.ts";
import { explicitProtocol } from "./protocol.ts";
import { resolveAws, resolveProcess } from "./resolve-special.ts";
import { modelSettings } from "./settings.ts";
import type { Step } from "./trace.ts";

/** A provider of the registry, other than the person's own endpoint. */
export async function resolveProfile(profile: ProviderProfile, parts: Step, signal: AbortSignal): Promise<Resolution> {
  const { wanted, context, trace } = parts;
  const choice = chooseModel(profile, wanted, context);
  if (choice === undefined) return trace.failed(missingModel(profile.label, profile.id, []));
  if (choice.notice !== undefined) trace.notice(choice.notice);
  const set = setEndpoint(profile, wanted, context);
  if (set !== undefined && !isAddress(set.url)) return trace.failed(badUrl(profile, set.origin));
  if (profile.authKind === "external_process") return resolveProcess(profile, choice, { parts, set });
  if (profile.authKind === "aws_sdk") return resolveAws(profile, choice, { parts, set, signal });
  if (profile.azureKeyEnv !== undefined && set !== undefined && isAzureUrl(set.url)) {
    return openTarget(onAzure(profile, choice, { parts, set }), parts, signal);
  }
  if (profile.hasSharedLimits === true) {
    const refusal = await accountRest(profile, parts);
    if (refusal !== undefined) return trace.failed(refusal);
  }
  const keys = await keysFor(profile, { parts, set }, signal);
  if (keys.kind === "failure") return trace.failed(keys);
  const project = keys.found.length === 0 ? undefined : await projectOf(profile, parts, signal);
  const more = defined({ project });
  return openTarget(planOf(profile, choice, { parts, set, keys, ...more }), parts, signal);
}

function isAddress(url: string): boolean {
  return /^(?:https?|acp|acp\+tcp|cloudcode-pa):$/.test(parseUrl(url)?.protocol ?? "");
}

interface Keys {
  readonly kind: "keys";
  readonly found: readonly FoundCredential[];
  readonly isExclusive: boolean;
}

interface Supplied {
  readonly parts: Step;
  readonly set: Endpoint | undefined;
}

interface PlanDeps extends Supplied {
  readonly keys: Keys;
  readonly project?: string;
}

function planOf(profile: ProviderProfile, choice: ModelChoice, input: PlanDeps): OpenPlan {
  const { parts, set, keys, project } = input;
  const region = awsRegion(parts.context);
  const explicit = explicitProtocol(profile, parts);
  return {
    profile,
    provider: profile.id,
    label: profile.label,
    model: choice.model,
    isConfiguredModel: choice.isConfigured,
    found: keys.found,
    isExclusive: keys.isExclusive,
    isKeyless: false,
    ...defined({ explicitProtocol: explicit }),
    endpointFor: (key) => set ?? ownEndpoint(profile, key, { state: parts.state, region }),
    missingKey: missingLogin(profile, set),
    missingUrl: missingUrl(profile),
    ...(project === undefined ? {} : { extra: { quirks: { extraBody: { project } } }, facts: { projectId: project } }),
  };
}

/** A key given by hand, then one in the settings of this provider, then what the sources hold. */
async function keysFor(profile: ProviderProfile, input: Supplied, signal: AbortSignal): Promise<Keys | Refusal> {
  const { parts, set } = input;
  const { context, trace } = parts;
  const own = explicitKey(profile, parts);
  if (own !== undefined) return { kind: "keys", found: [own], isExclusive: true };
  const found = await findCredentials(
    { profile, requested: parts.requested, state: parts.state, warn: trace.notice },
    context,
    signal,
  );
  const refusal = found.length === 0 ? await context.flows.get(profile.id)?.refusal?.(signal) : undefined;
  if (refusal !== undefined) return { ...refusal, provider: profile.id };
  // A subscription token is not sent to anybody who merely speaks the same language.
  const { loginHosts } = profile;
  const isForeign = set !== undefined && loginHosts?.every((host) => !hostMatches(set.url, host)) === true;
  const usable = isForeign ? found.filter((one) => one.authType === "api_key") : found;
  for (const one of found) if (!usable.includes(one)) trace.skip(one.source, "a login does not go to another host");
  if (set !== undefined && !followsTo(set, profile)) {
    for (const one of usable) trace.skip(one.source, "belongs to the provider's own address");
    return { kind: "keys", found: [], isExclusive: true };
  }
  return { kind: "keys", found: usable, isExclusive: false };
}

/** An address of this call only, or one in the settings of a provider that keeps its keys: a stored credential stays behind. */
function followsTo({ url, origin }: Endpoint, profile: ProviderProfile): boolean {
  if (profile.allowedHosts.some((host) => hostMatches(url, host))) return true;
  return origin !== "explicit" && !(origin === "config" && profile.keepsKeysHome === true);
}

function explicitKey(profile: ProviderProfile, parts: Step): FoundCredential | undefined {
  const { wanted, context } = parts;
  const make = (secret: Secret | undefined, source: string): FoundCredential | undefined =>
    secret === undefined || usableKey(secret.reveal()) === undefined
      ? undefined
      : { source, label: source, authType: "api_key", secret };
  const named = nonEmpty(wanted.keyEnv);
  const own = context.settings.providers?.[profile.id];
  const model = modelSettings(context.settings);
  const isRecorded = context.registry.find(nonEmpty(model.provider) ?? "")?.id === profile.id;
  const ownVariable = nonEmpty(own?.key_env);
  return (
    make(wanted.apiKey, "explicit") ??
    (named === undefined ? undefined : make(keyFromEnvironment(named, context.env)?.secret, `env:${named}`)) ??
    (isRecorded && nonEmpty(wanted.baseUrl) === undefined ? make(model.api_key, "config") : undefined) ??
    make(own?.api_key, "config") ??
    (ownVariable === undefined
      ? undefined
      : make(keyFromEnvironment(ownVariable, context.env)?.secret, `env:${ownVariable}`))
  );
}

function missingLogin(profile: ProviderProfile, set: Endpoint | undefined): Refusal {
  const usual = missingKey(profile);
  if (profile.missingLogin !== undefined) return { ...usual, ...profile.missingLogin };
  if (profile.authKind.startsWith("oauth"))
    return { ...usual, code: "relogin_required", message: `You are not logged in to ${profile.label}.` };
  if (set === undefined || followsTo(set, profile)) return usual;
  return {
    ...usual,
    message: `The key for ${profile.label} goes to ${profile.label} only, and there is none for ${hostOf(set.url)}.`,
    hint: `Name the variable with the key for that address: hermes config set providers.${profile.id}.key_env <NAME>`,
  };
}

/** An endpoint on Azure takes static keys only, and only those meant for it. */
function onAzure(
  profile: ProviderProfile,
  choice: ModelChoice,
  { parts, set }: { readonly parts: Step; readonly set: Endpoint },
): OpenPlan {
  const { context, wanted } = parts;
  const candidates: readonly (readonly [string, Secret | undefined])[] = [
    ["azure-explicit", wanted.apiKey ?? modelSettings(context.settings).api_key],
    ...(profile.azureKeyEnv ?? []).map(
      (name) => [`env:${name}`, keyFromEnvironment(name, context.env)?.secret] as const,
    ),
  ];
  const found = candidates.flatMap(([source, secret]): readonly FoundCredential[] =>
    secret === undefined || secret.isEmpty ? [] : [{ source, label: source, authType: "api_key", secret }],
  );
  const scope = scopeOf(set.url);
  return {
    ...planOf(profile, choice, { parts, set, keys: { kind: "keys", found: found.slice(0, 1), isExclusive: true } }),
    allowedHosts: scope === undefined ? [] : [scope],
  };
}

async function accountRest(profile: ProviderProfile, parts: Step): Promise<Refusal | undefined> {
  const untilMs = await parts.context.nousBlockedUntilMs?.();
  if (untilMs === undefined) return undefined;
  return {
    kind: "failure",
    code: "temporarily_unavailable",
    message: `The account at ${profile.label} has reached its limit until ${new Date(untilMs).toISOString()}.`,
    hint: "Wait, or choose another provider with: hermes model",
    provider: profile.id,
  };
}

/** Code Assist works on behalf of a project: the one that is set, else the one the login belongs to. */
async function projectOf(profile: ProviderProfile, parts: Step, signal: AbortSignal): Promise<string | undefined> {
  const { env, flows } = parts.context;
  const flow = flows.get(profile.id);
  if (flow?.project === undefined) return undefined;
  return nonEmpty(env.HERMES_GEMINI_PROJECT_ID) ?? nonEmpty(env.GOOGLE_CLOUD_PROJECT) ?? (await flow.project(signal));
}

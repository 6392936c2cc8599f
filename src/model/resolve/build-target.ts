import { defined } from "#foundation/defined";
import { nonEmpty } from "#foundation/text/text";
import type { ModelKnowledge } from "../catalog/knowledge.ts";
import { windowWords } from "../catalog/limits.ts";
import type { CredentialHandle } from "../credential-handle.ts";
import { isAnthropicLoginToken } from "../credentials/scheme.ts";
import { isLocalUrl } from "../providers/hosts.ts";
import { identificationFor } from "../providers/identification.ts";
import type { DetectedServer, LocalServerKind } from "../providers/local/local.ts";
import type { ListedModel } from "../providers/models/model-entry.ts";
import type { ProviderProfile } from "../providers/provider.ts";
import { mergeQuirks, quirksFor } from "../providers/quirks.ts";
import { codeAssistMarker, codeAssistUrl } from "../providers/records/logins.ts";
import type { ProtocolName, Target, TargetLimits, TargetQuirks } from "../target.ts";
import { fitToProtocol, splitBaseUrl } from "./base-url.ts";
import { type ResolveContext, unknownWindow } from "./context.ts";
import { modelSettings, type RoutingSettings } from "./settings.ts";
import { timeoutsFor } from "./timeouts.ts";

/** Everything that was decided, ready to be put together. */
export interface TargetPlan {
  /** Canonical id: the profile's, or `custom:<name>`. */
  readonly provider: string;
  readonly label: string;
  readonly profile: ProviderProfile;
  readonly model: string;
  readonly protocol: ProtocolName;
  readonly url: string;
  /** As the settings write it, where `url` is another way to read that. */
  readonly writtenUrl?: string;
  readonly credential: CredentialHandle;
  readonly source: string;
  readonly isNoticeAccepted: boolean;
  /** The settings of the main model are about this one. */
  readonly isConfiguredModel: boolean;
  readonly detected?: DetectedServer;
  /** What the list of the endpoint says about the model. */
  readonly listed?: ListedModel | undefined;
  readonly configuredWindow?: number;
  readonly configuredOutput?: number;
  readonly requestSeconds?: number;
  readonly staleSeconds?: number;
  readonly delaySeconds?: number;
  readonly quirks?: TargetQuirks;
}

export interface BuiltTarget {
  readonly target: Target;
  /** The endpoint wants to be told another client's name, and the person has not agreed to that. */
  readonly lacksIdentification: boolean;
}

export function buildTarget(plan: TargetPlan, context: ResolveContext): BuiltTarget {
  const { profile, protocol, model } = plan;
  const written = splitBaseUrl(plan.url);
  const { baseUrl, query } = fitToProtocol(written, protocol);
  const listed = plan.listed ?? context.models?.peek(profile.id).find((one) => one.id === model);
  const known = context.lookUp?.({
    provider: plan.provider,
    model,
    baseUrl,
    ...(plan.detected?.contextWindow === undefined
      ? defined({ listedWindow: listed?.contextWindow })
      : { localWindow: plan.detected.contextWindow }),
  });
  // What the provider's own list says fills the gaps of the catalogue.
  const images = plan.listed?.supportsImages;
  const knowledge: ModelKnowledge = {
    ...listed,
    ...known,
    ...defined({ supportsImages: images }),
  };
  const limits = limitsOf(plan, knowledge, context);
  const records = [profile, context.registry.ownerOf(baseUrl)];
  const identification = identificationFor(baseUrl === codeAssistMarker ? codeAssistUrl : baseUrl, {
    version: context.version,
    hasLogin: plan.credential.secrets.some((secret) => isAnthropicLoginToken(secret.reveal())),
    isNoticeAccepted: plan.isNoticeAccepted,
  });
  const isLocal = isLocalUrl(baseUrl);
  const target: Target = {
    provider: plan.provider,
    providerLabel: nonEmpty(context.settings.providers?.[plan.provider]?.name) ?? plan.label,
    model,
    protocol,
    baseUrl,
    query,
    headers: { ...identification.headers, ...profile.headers, ...modelHeaders(model, records) },
    credential: plan.credential,
    quirks: targetQuirks({ plan, baseUrl, limits, knowledge, records, routing: context.settings.provider_routing }),
    limits,
    timeouts: timeoutsFor({
      settings: context.settings,
      env: context.env,
      provider: plan.provider.replace(/^custom:/, ""),
      model,
      isLocal,
      isAnthropicWire: protocol === "anthropic_messages",
      ...defined({
        requestSeconds: plan.requestSeconds,
        staleSeconds: plan.staleSeconds,
        delaySeconds: plan.delaySeconds,
      }),
    }),
    isLocal,
    ...(profile.isOwnEndpoint === true ? { isOwnEndpoint: true, writtenUrl: plan.writtenUrl ?? written.baseUrl } : {}),
    source: plan.source,
  };
  return { target, lacksIdentification: identification.isIncomplete };
}

type Records = readonly (ProviderProfile | undefined)[];

function modelHeaders(model: string, records: Records): Readonly<Record<string, string>> {
  const rules = records.flatMap((one) => one?.modelHeaders ?? []).filter((rule) => rule.model.test(model));
  return Object.assign({}, ...rules.map((rule) => rule.headers));
}

const localWords: Readonly<Record<LocalServerKind, string>> = {
  ollama: "Ollama num_ctx",
  "lm-studio": "LM Studio",
  "llama-cpp": "llama.cpp n_ctx",
  vllm: "vLLM max_model_len",
  sglang: "SGLang",
};

function limitsOf(plan: TargetPlan, knowledge: ModelKnowledge, context: ResolveContext): TargetLimits {
  const own = plan.isConfiguredModel ? modelSettings(context.settings) : {};
  const provider = context.settings.providers?.[plan.provider];
  const perModel = provider?.models?.[plan.model];
  const maxOutputTokens = knowledge.maxOutputTokens;
  const asksWhole = plan.profile.asksWholeClaudeOutput === true && /claude/i.test(plan.model);
  const wanted =
    own.max_tokens ??
    plan.configuredOutput ??
    perModel?.max_tokens ??
    plan.profile.defaultOutputTokens ??
    (asksWhole ? maxOutputTokens : undefined);
  const saved = own.context_length ?? plan.configuredWindow ?? perModel?.context_length ?? provider?.context_length;
  const [contextWindow, windowSource] =
    saved !== undefined
      ? [saved, windowWords.config]
      : plan.detected?.contextWindow !== undefined
        ? [plan.detected.contextWindow, localWords[plan.detected.server.kind]]
        : [knowledge.contextWindow ?? unknownWindow, knowledge.windowSource];
  return {
    contextWindow,
    ...defined({ windowSource, maxOutputTokens, defaultOutputTokens: wanted }),
  };
}

interface QuirkDeps {
  readonly plan: TargetPlan;
  readonly baseUrl: string;
  readonly limits: TargetLimits;
  readonly knowledge: ModelKnowledge;
  readonly records: Records;
  readonly routing: RoutingSettings | undefined;
}

function targetQuirks({ plan, baseUrl, limits, knowledge, records, routing }: QuirkDeps): TargetQuirks {
  const { model, protocol } = plan;
  const known = mergeQuirks(quirksFor({ model, protocol, baseUrl }, records), plan.quirks ?? {});
  const preferences = records.some((one) => one?.takesRouting === true) ? routingBody(routing) : {};
  const isOllama = plan.detected?.server.kind === "ollama";
  const window = isOllama ? { options: { num_ctx: limits.contextWindow } } : {};
  return {
    ...mergeQuirks(known, { extraBody: { ...preferences, ...window } }),
    ...defined({ listedEfforts: knowledge.efforts, supportsImages: knowledge.supportsImages }),
  };
}

/** OpenRouter's `provider` object, with only what the person set. */
function routingBody(routing: RoutingSettings | undefined): Readonly<Record<string, unknown>> {
  const entries = Object.entries(routing ?? {}).filter(
    ([, value]) => value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0),
  );
  return entries.length === 0 ? {} : { provider: Object.fromEntries(entries) };
}

import { defined } from "#foundation/defined";
import type { Secret } from "#foundation/secrets/secret";
import { nonEmpty } from "#foundation/text/text";
import type { CredentialHandle } from "../credential-handle.ts";
import { openHandle } from "../credentials/open-handle.ts";
import { joinMembers } from "../credentials/pool/pool-members.ts";
import { noCredential } from "../credentials/scoped.ts";
import { type FoundCredential, keyFromEnvironment } from "../credentials/sources.ts";
import { usableKey } from "../credentials/usable-key.ts";
import type { NamedEndpoint } from "../providers/custom.ts";
import { isLocalUrl, parseUrl } from "../providers/hosts.ts";
import type { DetectedServer } from "../providers/local/local.ts";
import { type LocalServerKind, localServerFacts, onlyModel } from "../providers/local/local.ts";
import { findListed } from "../providers/models/find-listed.ts";
import type { ListedModel } from "../providers/models/model-entry.ts";
import { fetchModels, type ModelList } from "../providers/models/models-list.ts";
import { customEndpoint } from "../providers/records/clouds.ts";
import { splitBaseUrl } from "./base-url.ts";
import type { Resolution } from "./context.ts";
import { type Endpoint, setEndpoint } from "./endpoint/endpoint.ts";
import { badUrl, missingModel, missingUrl } from "./failures.ts";
import { type OpenPlan, openTarget } from "./open-target.ts";
import { chooseProtocol, explicitProtocol } from "./protocol.ts";
import { modelSettings } from "./settings.ts";
import type { Step } from "./trace.ts";

/** The person's own endpoint: `custom`, or one with a name. Reported as what it is. */
export async function resolveCustom(
  named: NamedEndpoint | undefined,
  parts: Step,
  signal: AbortSignal,
): Promise<Resolution> {
  const { trace, wanted } = parts;
  const endpoint = named === undefined ? customUrl(parts) : namedUrl(named, parts);
  if (endpoint === undefined) return trace.failed(missingUrl(customEndpoint));
  if (!/^https?:$/.test(parseUrl(endpoint.url)?.protocol ?? "")) {
    return trace.failed(badUrl(customEndpoint, endpoint.origin));
  }
  const keys = keysOf(named, endpoint, parts);
  const asked = nonEmpty(wanted.model) ?? savedModel(named, parts);
  const probe = await look({ url: endpoint.url, keys, asked, named }, parts, signal);
  const model = asked ?? probe.model;
  if (model === undefined) {
    return trace.failed(missingModel(named?.name ?? customEndpoint.label, providerOf(named), probe.offered));
  }
  const own = named?.models[model];
  const protocol = named?.protocol ?? explicitProtocol(customEndpoint, parts);
  const window = own?.contextLength ?? named?.contextLength;
  const plan: OpenPlan = {
    profile: customEndpoint,
    provider: providerOf(named),
    label: named?.name ?? customEndpoint.label,
    model,
    isConfiguredModel: model === nonEmpty(modelSettings(parts.context.settings).default),
    found: keys,
    isExclusive: false,
    isKeyless: true,
    ...(wanted.protocol !== undefined
      ? { explicitProtocol: wanted.protocol }
      : defined({ explicitProtocol: protocol })),
    endpointFor: () => endpoint,
    missingKey: missingUrl(customEndpoint),
    missingUrl: missingUrl(customEndpoint),
    extra: {
      ...defined({ detected: probe.detected }),
      listed: probe.listed,
      ...defined({ configuredWindow: window }),
      ...defined({ configuredOutput: own?.maxTokens }),
      ...seconds(named, model),
    },
  };
  return openTarget(plan, parts, signal);
}

function providerOf(named: NamedEndpoint | undefined): string {
  return named?.slug ?? customEndpoint.id;
}

function seconds(named: NamedEndpoint | undefined, model: string) {
  const own = named?.models[model];
  const request = own?.timeoutSeconds ?? named?.requestTimeoutSeconds;
  const stale = own?.staleTimeoutSeconds ?? named?.staleTimeoutSeconds;
  return {
    ...defined({ requestSeconds: request, staleSeconds: stale }),
    ...defined({ delaySeconds: named?.rateLimitDelaySeconds }),
  };
}

function namedUrl(named: NamedEndpoint, { wanted }: Step): Endpoint {
  const explicit = nonEmpty(wanted.baseUrl);
  return explicit === undefined
    ? { url: named.baseUrl, origin: `custom_provider:${named.name}`, isExplicit: true }
    : { url: explicit, origin: "explicit", isExplicit: true };
}

const serverNames: Readonly<Record<string, LocalServerKind>> = {
  ollama: "ollama",
  vllm: "vllm",
  llamacpp: "llama-cpp",
  "llama.cpp": "llama-cpp",
  "llama-cpp": "llama-cpp",
  lmstudio: "lm-studio",
  "lm-studio": "lm-studio",
  lm_studio: "lm-studio",
};

/** Saved, then exported, then, for somebody who named a server, the port that server usually has. */
function customUrl(parts: Step): Endpoint | undefined {
  const { context, wanted } = parts;
  const set = setEndpoint(customEndpoint, wanted, context);
  if (set !== undefined) return set;
  for (const name of ["CUSTOM_BASE_URL", "OPENAI_BASE_URL"]) {
    const value = nonEmpty(context.env[name]);
    if (value !== undefined) return { url: value, origin: `env:${name}`, isExplicit: true };
  }
  const kind = serverNames[parts.requested.toLowerCase()];
  if (kind === undefined) return undefined;
  return { url: `http://127.0.0.1:${localServerFacts[kind].port}/v1`, origin: "default", isExplicit: true };
}

/** `model.default` is about this endpoint only when this endpoint is the saved choice. */
function savedModel(named: NamedEndpoint | undefined, parts: Step): string | undefined {
  const { context } = parts;
  const model = modelSettings(context.settings);
  const recorded = nonEmpty(model.provider)?.toLowerCase();
  const isUnrecorded = recorded === undefined || recorded === "auto";
  const isRecorded =
    named === undefined
      ? isUnrecorded || context.registry.find(recorded)?.isOwnEndpoint === true
      : recorded === named.slug || recorded === named.name.toLowerCase();
  const saved = isRecorded ? nonEmpty(model.default) : undefined;
  return (
    saved ?? named?.model ?? nonEmpty(parts.wanted.isOneShot === true ? context.env.HERMES_INFERENCE_MODEL : undefined)
  );
}

/**
 * The endpoint's own key, else the key of the provider that owns the host. A key that belongs to another host
 * is never a candidate.
 */
function keysOf(named: NamedEndpoint | undefined, endpoint: Endpoint, parts: Step): readonly FoundCredential[] {
  const { wanted, context, trace } = parts;
  const { env } = context;
  const of = (secret: Secret | undefined, source: string): readonly FoundCredential[] =>
    secret === undefined || usableKey(secret.reveal()) === undefined
      ? []
      : [{ source, label: source, authType: "api_key", secret }];
  const variable = (name: string | undefined): readonly FoundCredential[] =>
    name === undefined ? [] : of(keyFromEnvironment(name, env, trace.notice)?.secret, `env:${name}`);
  const isOwnUrl = nonEmpty(wanted.baseUrl) === undefined;
  const model = modelSettings(context.settings);
  const isSaved = named === undefined && isOwnUrl && nonEmpty(model.base_url) === endpoint.url;
  const own = [
    ...of(wanted.apiKey, "explicit"),
    ...variable(nonEmpty(wanted.keyEnv)),
    ...(isOwnUrl ? of(named?.apiKey, `config:${named?.name ?? ""}`) : []),
    ...(isOwnUrl ? variable(named?.keyEnv) : []),
    ...(isSaved ? of(model.api_key, "model_config") : []),
    ...(named === undefined && isOwnUrl ? variable(nonEmpty(context.settings.providers?.["custom"]?.key_env)) : []),
  ];
  if (own.length > 0) return own.slice(0, 1);
  const owner = context.registry.ownerOf(endpoint.url);
  const owned = owner === undefined ? [] : owner.keyEnv.flatMap((name) => variable(name));
  if (owned.length > 0) return owned.slice(0, 1);
  // OpenAI's key goes to OpenAI, also when its address was exported beside it; whoever means another endpoint says so.
  if (endpoint.origin === "env:OPENAI_BASE_URL" && owner === undefined && nonEmpty(env["OPENAI_API_KEY"]) !== undefined)
    trace.notice(
      `OPENAI_API_KEY is not sent to ${endpoint.url}: it belongs to OpenAI. To use it there: hermes config set providers.custom.key_env OPENAI_API_KEY`,
    );
  return [];
}

interface Look {
  readonly url: string;
  readonly keys: readonly FoundCredential[];
  readonly asked: string | undefined;
  readonly named: NamedEndpoint | undefined;
}

interface Seen {
  readonly detected?: DetectedServer;
  /** The one model there is to choose. */
  readonly model?: string;
  readonly offered: readonly string[];
  readonly listed?: ListedModel | undefined;
}

/** A list of models is asked for once a day; windows and abilities do not change by the hour. */
const listCacheMs = 24 * 60 * 60 * 1000;
/** A server on this machine answers at once, and may have been started anew with another window. */
const localListCacheMs = 60 * 1000;

/** What the endpoint's own list says about the model; an endpoint without a list is not asked again today. */
async function listedModel(
  input: Look & { readonly asked: string },
  { context, wanted }: Step,
  signal: AbortSignal,
): Promise<ListedModel | undefined> {
  const { baseUrl, query } = splitBaseUrl(input.url);
  const key = listKey(baseUrl);
  const known = await context.models?.read(key, isLocalUrl(baseUrl) ? localListCacheMs : listCacheMs);
  const find = (models: readonly ListedModel[]) => findListed(models, input.asked);
  // Somebody who asks once wants the answer: what is known has to do.
  if (wanted.isOneShot === true) return known === undefined ? undefined : find(known.models);
  if (known?.isFresh === true && (find(known.models) !== undefined || known.models.length > 1))
    return find(known.models);
  const fetch = async (): Promise<ModelList> => {
    const source = customEndpoint.models;
    const list = await listAt({ source, baseUrl, query, credential: probeCredential(input), timeoutMs: 2_000 }, signal);
    const isSilent = list.kind === "models" ? list.models.length === 0 : list.status !== undefined;
    return isSilent ? { kind: "models", models: [{ id: input.asked }] } : list;
  };
  const list = await context.models?.refresh(key, fetch);
  return list?.kind === "models" ? find(list.models) : undefined;
}

/** Under what the list of an address is kept. */
export function listKey(baseUrl: string): string {
  return `endpoint ${baseUrl}`;
}

/** Asks a local server what it is, and any endpoint for its models when nobody named one. */
async function look(input: Look, parts: Step, signal: AbortSignal): Promise<Seen> {
  const { context } = parts;
  const { baseUrl, query } = splitBaseUrl(input.url);
  const detected = isLocalUrl(baseUrl) ? await context.detectLocal?.(baseUrl, input.asked, signal) : undefined;
  if (input.asked !== undefined) {
    const listed = await listedModel({ ...input, asked: input.asked }, parts, signal);
    return { ...defined({ detected }), listed, offered: [] };
  }
  const model = detected === undefined ? undefined : onlyModel(detected.server.models);
  if (detected !== undefined && model !== undefined) {
    const again = await context.detectLocal?.(baseUrl, model, signal);
    return { detected: again ?? detected, model, offered: [] };
  }
  const credential = probeCredential(input);
  const list = await listAt({ source: customEndpoint.models, baseUrl, query, credential }, signal);
  const offered = list.kind === "models" ? list.models.map((one) => one.id) : [];
  const [only, ...others] = offered;
  return {
    ...defined({ detected }),
    ...(only === undefined || others.length > 0 ? {} : { model: only }),
    offered,
  };
}

/** With `/v1` where nothing is listed without it, and the other way round. */
async function listAt(query: Parameters<typeof fetchModels>[0], signal: AbortSignal): ReturnType<typeof fetchModels> {
  const list = await fetchModels(query, signal);
  if (list.kind === "models" || list.status !== 404) return list;
  const other = query.baseUrl.endsWith("/v1") ? query.baseUrl.slice(0, -"/v1".length) : `${query.baseUrl}/v1`;
  const again = await fetchModels({ ...query, baseUrl: other }, signal);
  return again.kind === "models" ? again : list;
}

/** The same key and the same rule about hosts as for the requests themselves. */
function probeCredential({ url, keys }: Look): CredentialHandle {
  const [member] = joinMembers([], keys, []);
  if (member === undefined) return noCredential;
  const protocol = chooseProtocol({ profile: customEndpoint, model: "", baseUrl: url });
  return openHandle(member, {
    profile: customEndpoint,
    protocol,
    baseUrl: url,
    isExplicitUrl: true,
    isNoticeAccepted: false,
  });
}

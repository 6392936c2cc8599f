import { nonEmpty } from "#foundation/text/text";
import { hostMatches, hostOf, isAzureUrl, pathOf } from "../providers/hosts.ts";
import { withoutVendor } from "../providers/models/model-name.ts";
import type { ProviderProfile } from "../providers/provider.ts";
import type { ProtocolName } from "../target.ts";
import { modelSettings } from "./settings.ts";
import type { Step } from "./trace.ts";

export interface ProtocolFacts {
  readonly profile: ProviderProfile;
  readonly model: string;
  readonly baseUrl: string;
  /** What the person asked for, by argument or in the settings of this very provider. */
  readonly explicit?: ProtocolName;
  /** Paths the model answers on, where the provider's list says. */
  readonly endpoints?: readonly string[];
}

interface UrlRule {
  readonly host?: string;
  readonly path?: RegExp;
  readonly protocol: ProtocolName;
}

/** Which wire an address speaks, by its host and path. First match. */
const urlRules: readonly UrlRule[] = [
  { host: "api.anthropic.com", protocol: "anthropic_messages" },
  { path: /\/anthropic$/, protocol: "anthropic_messages" },
  { host: "api.kimi.com", path: /\/coding(?:\/|$)/, protocol: "anthropic_messages" },
  { host: "chatgpt.com", path: /^\/backend-api\/codex/, protocol: "codex_responses" },
  { host: "api.openai.com", protocol: "codex_responses" },
  { host: "api.x.ai", protocol: "codex_responses" },
  { host: "generativelanguage.googleapis.com", path: /\/openai$/, protocol: "chat_completions" },
  { host: "generativelanguage.googleapis.com", protocol: "gemini_generate" },
];

const bedrockHost = /^bedrock-runtime\.[a-z0-9-]+\.amazonaws\.com$/;

/** What was asked for, else the provider's rule, else the address, else chat; then the newer GPT wire. */
export function chooseProtocol(facts: ProtocolFacts): ProtocolName {
  if (facts.explicit !== undefined) return facts.explicit;
  const chosen = byProvider(facts) ?? byUrl(facts.baseUrl, facts.model) ?? "chat_completions";
  return chosen === "chat_completions" && wantsResponses(facts) ? "codex_responses" : chosen;
}

function byProvider({ profile, model, baseUrl, endpoints }: ProtocolFacts): ProtocolName | undefined {
  const bare = withoutVendor(model);
  for (const rule of profile.protocolRules ?? []) {
    if (rule.model.test(profile.modelNaming === "as-given" ? model : bare)) return rule.protocol;
  }
  if (endpoints?.length === 1 && endpoints[0] === "/v1/messages") return "anthropic_messages";
  // Google's own address for the chat wire.
  if (profile.protocol === "gemini_generate" && pathOf(baseUrl).endsWith("/openai")) return "chat_completions";
  return profile.protocol;
}

function byUrl(baseUrl: string, model: string): ProtocolName | undefined {
  if (bedrockHost.test(hostOf(baseUrl) ?? "")) {
    return /(?:^|\.)anthropic\.claude/.test(model) ? "anthropic_messages" : "bedrock_converse";
  }
  const path = pathOf(baseUrl);
  return urlRules.find(
    (rule) =>
      (rule.host === undefined || hostMatches(baseUrl, rule.host)) && (rule.path === undefined || rule.path.test(path)),
  )?.protocol;
}

/**
 * GPT from version 5 on works better on the Responses wire. Azure and the Copilot program do not speak it, and where a
 * provider's own rules already looked at the model name, they have the last word.
 */
function wantsResponses({ profile, model, baseUrl }: ProtocolFacts): boolean {
  if (isAzureUrl(baseUrl) || profile.authKind === "external_process" || profile.protocolRules !== undefined)
    return false;
  return withoutVendor(model).toLowerCase().startsWith("gpt-5");
}

const userModes: readonly ProtocolName[] = ["chat_completions", "codex_responses", "anthropic_messages"];

/** A wire as people write it in settings; undefined for anything else. */
export function toProtocol(text: string | undefined): ProtocolName | undefined {
  return userModes.find((mode) => mode === text?.trim());
}

/** A wire named in the settings belongs to the provider named beside it. */
export function explicitProtocol(profile: ProviderProfile, parts: Step): ProtocolName | undefined {
  const { wanted, context } = parts;
  if (wanted.protocol !== undefined) return wanted.protocol;
  const model = modelSettings(context.settings);
  const recorded = nonEmpty(model.provider);
  const isOwn =
    recorded === undefined || recorded.toLowerCase() === "auto" || context.registry.find(recorded)?.id === profile.id;
  return (
    (isOwn ? toProtocol(model.api_mode) : undefined) ?? toProtocol(context.settings.providers?.[profile.id]?.api_mode)
  );
}

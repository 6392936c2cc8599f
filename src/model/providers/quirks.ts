import type { ProtocolName, TargetQuirks } from "../target.ts";
import { hostMatches, parseUrl, pathOf } from "./hosts.ts";
import { withoutVendor } from "./models/model-name.ts";
import type { ProviderProfile, QuirkRule } from "./provider.ts";

/** What the rules look at. */
export interface QuirkFacts {
  readonly model: string;
  readonly protocol: ProtocolName;
  readonly baseUrl: string;
}

interface GeneralRule extends QuirkRule {
  when?(facts: QuirkFacts): boolean;
}

/** What holds for a wire or a model whoever serves it; what holds for one provider stands in its record. */
const generalRules: readonly GeneralRule[] = [
  // Roles and fields of the chat wire.
  { protocol: "chat_completions", model: /gpt-5|codex/, quirks: { developerRole: true } },
  {
    protocol: "chat_completions",
    when: ({ baseUrl }) => hostMatches(baseUrl, "openai.azure.com"),
    quirks: { outputLimitField: "max_completion_tokens" },
  },
  { protocol: "chat_completions", model: /deepseek/, quirks: { requiresReasoningContent: true } },

  // Reasoning effort.
  { protocol: "codex_responses", quirks: { reasoning: "responses", acceptsPromptCacheKey: true } },
  { protocol: "gemini_generate", quirks: { reasoning: "gemini", toolSchema: "gemini" } },
  { protocol: "anthropic_messages", quirks: { reasoning: "anthropic-budget" } },
  {
    protocol: "anthropic_messages",
    when: ({ model }) => claudeVersion(model) === "4.6",
    quirks: { reasoning: "anthropic-adaptive-max" },
  },
  {
    protocol: "anthropic_messages",
    when: ({ model }) => claudeVersion(model) === "later",
    quirks: { reasoning: "anthropic-adaptive-xhigh" },
  },
  { protocol: "anthropic_messages", model: /haiku/, quirks: { reasoning: "none" } },

  // Prompt caching, and thinking that is sent back.
  { protocol: "anthropic_messages", model: /claude/, quirks: { cacheMarks: "block" } },
  { protocol: "anthropic_messages", quirks: { thinkingReplay: "none" } },

  // Temperature, schemas, names.
  { model: /claude.*4[.-]7/, quirks: { omitTemperature: true } },
  { model: /kimi|moonshot/, quirks: { toolSchema: "moonshot" } },
  {
    protocol: "anthropic_messages",
    when: ({ baseUrl }) => !hostMatches(baseUrl, "amazonaws.com"),
    quirks: { hyphenatedModel: true },
  },
];

/**
 * The quirks of one target: what holds in general, then what the records say of the provider and of the owner of the
 * host, which differ for an endpoint of the person's own. A later rule wins over an earlier one, field by field.
 */
export function quirksFor(facts: QuirkFacts, records: readonly (ProviderProfile | undefined)[]): TargetQuirks {
  const known = [...new Set(records)].filter((one) => one !== undefined);
  const path = pathOf(parseUrl(facts.baseUrl) ?? facts.baseUrl);
  const rules = [...generalRules, ...known.flatMap((one) => one.quirkRules ?? [])];
  let quirks: TargetQuirks = {};
  for (const rule of rules) if (applies(rule, facts, path)) quirks = mergeQuirks(quirks, rule.quirks);
  return mergeQuirks(quirks, known[0]?.quirks ?? {});
}

function applies(rule: GeneralRule, facts: QuirkFacts, path: string): boolean {
  return (
    (rule.protocol === undefined || rule.protocol === facts.protocol) &&
    (rule.model === undefined || rule.model.test(facts.model.toLowerCase())) &&
    (rule.path === undefined || rule.path.test(path)) &&
    (rule.when === undefined || rule.when(facts))
  );
}

export function mergeQuirks(base: TargetQuirks, over: TargetQuirks): TargetQuirks {
  const extraBody = { ...base.extraBody, ...over.extraBody };
  const { extraBody: _one, ...rest } = { ...base, ...over };
  return Object.keys(extraBody).length === 0 ? rest : { ...rest, extraBody };
}

/** Which way of thinking a Claude model has: none named below 4.6, then two generations of effort. */
function claudeVersion(model: string): "4.6" | "later" | undefined {
  const name = withoutVendor(model).toLowerCase();
  const match = /claude-(?:[a-z]+-)?(\d{1,2})(?:[.-](\d{1,2}))?(?!\d)/.exec(name);
  if (match === null) return undefined;
  const version = Number(match[1]) * 100 + Number(match[2] ?? 0);
  if (version < 406) return undefined;
  return version === 406 ? "4.6" : "later";
}

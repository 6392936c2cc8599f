import type { ProtocolName, TargetQuirks } from "../target.ts";
import { isAzureOpenAiUrl } from "./azure.ts";
import { hostMatches, parseUrl, pathOf } from "./hosts.ts";
import { withoutVendor } from "./model-name.ts";

/** What a rule may look at. */
export interface QuirkFacts {
  readonly provider: string;
  readonly model: string;
  readonly protocol: ProtocolName;
  readonly baseUrl: string;
}

/** The address is read once for all rules. */
interface ReadFacts extends QuirkFacts {
  readonly address: URL | string;
}

interface QuirkRule {
  readonly when: (facts: ReadFacts) => boolean;
  readonly quirks: TargetQuirks;
}

const isProvider =
  (...ids: readonly string[]) =>
  (facts: ReadFacts): boolean =>
    ids.includes(facts.provider);
const isAt =
  (...hosts: readonly string[]) =>
  (facts: ReadFacts): boolean =>
    hosts.some((host) => hostMatches(facts.address, host));
const speaks =
  (protocol: ProtocolName) =>
  (facts: ReadFacts): boolean =>
    facts.protocol === protocol;
const isModel =
  (pattern: RegExp) =>
  (facts: ReadFacts): boolean =>
    pattern.test(facts.model.toLowerCase());
const all =
  (...tests: readonly ((facts: ReadFacts) => boolean)[]) =>
  (facts: ReadFacts): boolean =>
    tests.every((test) => test(facts));
const any =
  (...tests: readonly ((facts: ReadFacts) => boolean)[]) =>
  (facts: ReadFacts): boolean =>
    tests.some((test) => test(facts));
const not =
  (test: (facts: ReadFacts) => boolean) =>
  (facts: ReadFacts): boolean =>
    !test(facts);

const isClaude = isModel(/claude/);
const isHaiku = isModel(/haiku/);
const isNativeAnthropic = all(speaks("anthropic_messages"), isAt("api.anthropic.com"));
const isKimiCoding = all(isAt("api.kimi.com"), (facts) => `${pathOf(facts.address)}/`.startsWith("/coding/"));
const isKimi = any(isProvider("kimi-coding", "kimi-coding-cn"), isAt("api.kimi.com", "moonshot.ai", "moonshot.cn"));
const isOpenRouter = any(isProvider("openrouter"), isAt("openrouter.ai"));
const isCopilot = any(isProvider("copilot"), isAt("githubcopilot.com"));
const isCodexBackend = any(isProvider("openai-codex"), all(isAt("chatgpt.com"), speaks("codex_responses")));
const isXai = any(isProvider("xai"), isAt("api.x.ai"));
/** Upstreams behind OpenRouter that take a `reasoning` object; others answer 400 to it. */
const takesReasoning = isModel(/^(?:deepseek\/|anthropic\/|openai\/|x-ai\/|google\/gemini-2|qwen\/qwen3)/);
const keepsDots = any(
  isProvider("alibaba", "minimax", "minimax-cn", "opencode-go", "opencode-zen", "zai", "bedrock"),
  isAt("aliyuncs.com", "minimax.io", "minimaxi.com", "opencode.ai", "z.ai", "bigmodel.cn", "amazonaws.com"),
);

/**
 * What differs between endpoints, as data. Every rule that applies counts; a later one wins over an
 * earlier one, field by field.
 */
const quirkRules: readonly QuirkRule[] = [
  // Roles and fields of the chat wire.
  { when: all(speaks("chat_completions"), isModel(/gpt-5|codex/)), quirks: { developerRole: true } },
  {
    when: all(
      speaks("chat_completions"),
      any(isAt("api.openai.com"), (facts) => isAzureOpenAiUrl(facts.baseUrl)),
    ),
    quirks: { outputLimitField: "max_completion_tokens" },
  },
  {
    when: all(
      speaks("chat_completions"),
      any(isProvider("deepseek"), isAt("api.deepseek.com"), isModel(/deepseek/), isKimi),
    ),
    quirks: { requiresReasoningContent: true },
  },
  { when: isAt("portal.qwen.ai"), quirks: { contentAsParts: true, extraBody: { vl_high_resolution_images: true } } },

  // Reasoning effort.
  { when: all(isOpenRouter, takesReasoning), quirks: { reasoning: "openrouter" } },
  { when: all(isOpenRouter, not(takesReasoning)), quirks: { reasoning: "none" } },
  { when: any(isProvider("ai-gateway"), isAt("ai-gateway.vercel.sh")), quirks: { reasoning: "openrouter" } },
  {
    when: any(isProvider("nous"), isAt("nousresearch.com")),
    quirks: { reasoning: "openrouter", omitDisabledReasoning: true },
  },
  { when: all(speaks("chat_completions"), (facts) => isOwnEndpoint(facts)), quirks: { reasoning: "ollama" } },
  { when: speaks("codex_responses"), quirks: { reasoning: "responses", acceptsPromptCacheKey: true } },
  { when: all(speaks("codex_responses"), isXai), quirks: { reasoning: "responses-include-only" } },
  { when: all(isCopilot, not(speaks("anthropic_messages"))), quirks: { reasoning: "copilot" } },
  { when: isCopilot, quirks: { acceptsPromptCacheKey: false } },
  { when: isCodexBackend, quirks: { outputLimitField: "none" } },
  { when: speaks("gemini_generate"), quirks: { reasoning: "gemini", toolSchema: "gemini" } },
  { when: speaks("anthropic_messages"), quirks: { reasoning: "anthropic-budget" } },
  {
    when: (facts) => facts.protocol === "anthropic_messages" && claudeVersion(facts.model) === "4.6",
    quirks: { reasoning: "anthropic-adaptive-max" },
  },
  {
    when: (facts) => facts.protocol === "anthropic_messages" && claudeVersion(facts.model) === "later",
    quirks: { reasoning: "anthropic-adaptive-xhigh" },
  },
  { when: all(speaks("anthropic_messages"), any(isHaiku, isKimiCoding)), quirks: { reasoning: "none" } },
  { when: all(speaks("chat_completions"), isKimi), quirks: { reasoning: "kimi" } },

  // Prompt caching.
  { when: all(speaks("anthropic_messages"), isClaude), quirks: { cacheMarks: "block" } },
  { when: isNativeAnthropic, quirks: { cacheMarks: "block" } },
  { when: all(isOpenRouter, isClaude), quirks: { cacheMarks: "message" } },
  {
    when: all(isProvider("alibaba", "opencode-zen", "opencode-go"), isModel(/qwen/)),
    quirks: { cacheMarks: "message" },
  },

  // Thinking that is sent back.
  { when: speaks("anthropic_messages"), quirks: { thinkingReplay: "none" } },
  { when: any(isNativeAnthropic, all(isProvider("bedrock"), isClaude)), quirks: { thinkingReplay: "signed" } },
  { when: all(speaks("anthropic_messages"), isKimiCoding), quirks: { thinkingReplay: "unsigned" } },

  // Temperature, schemas, names.
  { when: any(isKimi, isModel(/claude.*4[.-]7/)), quirks: { omitTemperature: true } },
  { when: any(isKimi, isModel(/kimi|moonshot/)), quirks: { toolSchema: "moonshot" } },
  { when: all(speaks("anthropic_messages"), not(keepsDots)), quirks: { hyphenatedModel: true } },
];

/** The quirks of one target: what the rules say, then what the provider's own record says. */
export function quirksFor(facts: QuirkFacts, own: TargetQuirks = {}): TargetQuirks {
  let quirks: TargetQuirks = {};
  const read = { ...facts, address: parseUrl(facts.baseUrl) ?? facts.baseUrl };
  for (const rule of quirkRules) if (rule.when(read)) quirks = mergeQuirks(quirks, rule.quirks);
  return mergeQuirks(quirks, own);
}

export function mergeQuirks(base: TargetQuirks, over: TargetQuirks): TargetQuirks {
  const extraBody = { ...base.extraBody, ...over.extraBody };
  const { extraBody: _one, ...rest } = { ...base, ...over };
  return Object.keys(extraBody).length === 0 ? rest : { ...rest, extraBody };
}

function isOwnEndpoint(facts: ReadFacts): boolean {
  return facts.provider === "custom" || facts.provider.startsWith("custom:");
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

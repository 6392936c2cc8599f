import type { ModelRequest, ReasoningEffort } from "../../request.ts";
import { hostOf, isHost } from "./endpoint.ts";

/** How reasoning effort is asked for on each wire. Unset means medium where a value has to be given. */
type Fields = Readonly<Record<string, unknown>>;

const nothing: Fields = {};

/** OpenRouter takes `reasoning` for these models and refuses or ignores it for others. */
const openrouterPrefixes = ["deepseek/", "anthropic/", "openai/", "x-ai/", "google/gemini-2", "qwen/qwen3"];

const kimi: Readonly<Record<Exclude<ReasoningEffort, "none">, string>> = {
  minimal: "medium",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "medium",
};

/** Body fields of a chat request. */
export function chatEffort(request: ModelRequest): Fields {
  const { target, options } = request;
  const effort = options.reasoning;
  switch (target.quirks.reasoning) {
    case "openrouter":
      return openrouterEffort(request);
    case "kimi":
      return effort === "none"
        ? { thinking: { type: "disabled" } }
        : { thinking: { type: "enabled" }, reasoning_effort: kimi[effort ?? "medium"] };
    case "copilot": {
      const listed = listedEffort(request);
      return listed === undefined ? nothing : { reasoning_effort: listed };
    }
    case "ollama":
      return effort === "none" ? { think: false } : nothing;
    case "gemini":
      return effort === undefined ? nothing : { reasoning_effort: effort === "xhigh" ? "high" : effort };
    case "responses":
      return effort === undefined || effort === "none" ? nothing : { reasoning_effort: responsesWord(effort) };
    default:
      return nothing;
  }
}

function openrouterEffort({ target, options }: ModelRequest): Fields {
  const isRouter = isHost(hostOf(target), "openrouter.ai");
  if (isRouter && !openrouterPrefixes.some((prefix) => target.model.toLowerCase().startsWith(prefix))) return nothing;
  const effort = options.reasoning ?? "medium";
  if (effort !== "none") return { reasoning: { enabled: true, effort } };
  return target.quirks.omitDisabledReasoning === true ? nothing : { reasoning: { enabled: false } };
}

/** Copilot accepts only efforts that the model's entry in its catalogue lists. */
function listedEffort({ target, options }: ModelRequest): string | undefined {
  const effort = options.reasoning ?? "medium";
  if (effort === "none") return undefined;
  const wanted = effort === "minimal" ? "low" : effort === "xhigh" ? "high" : effort;
  return target.quirks.listedEfforts?.includes(wanted) === true ? wanted : undefined;
}

/** `reasoning` and `include` of a Responses request. */
export function responsesEffort(request: ModelRequest): Fields {
  const { target, options } = request;
  const encrypted = ["reasoning.encrypted_content"];
  const effort = options.reasoning ?? "medium";
  if (effort === "none" || cannotReason(target.model)) return { include: [] };
  switch (target.quirks.reasoning) {
    case "none":
      return { include: [] };
    case "responses-include-only":
      return { include: encrypted };
    case "copilot": {
      const listed = listedEffort(request);
      return listed === undefined ? { include: [] } : { reasoning: { effort: listed }, include: encrypted };
    }
    default:
      return { reasoning: { effort: responsesWord(effort), summary: "auto" }, include: encrypted };
  }
}

function responsesWord(effort: Exclude<ReasoningEffort, "none">): string {
  return effort === "minimal" ? "low" : effort;
}

/** GPT before 5 refuses every word about reasoning. */
function cannotReason(model: string): boolean {
  return /(?:^|\/)(?:gpt-[34]|chatgpt-4)/i.test(model);
}

export type AnthropicEffort =
  | { readonly kind: "off" }
  | { readonly kind: "budget"; readonly tokens: number }
  | { readonly kind: "adaptive"; readonly effort: string };

const budgets: Readonly<Record<Exclude<ReasoningEffort, "none">, number>> = {
  minimal: 4_000,
  low: 4_000,
  medium: 8_000,
  high: 16_000,
  xhigh: 32_000,
};

/** Thinking of a Messages request. */
export function anthropicEffort({ target, options }: ModelRequest): AnthropicEffort {
  const effort = options.reasoning ?? "medium";
  const style = target.quirks.reasoning ?? styleByName(target.model);
  if (effort === "none" || /haiku/i.test(target.model)) return { kind: "off" };
  if (style === "anthropic-budget") return { kind: "budget", tokens: budgets[effort] };
  if (style !== "anthropic-adaptive-max" && style !== "anthropic-adaptive-xhigh") return { kind: "off" };
  if (effort === "xhigh") return { kind: "adaptive", effort: style === "anthropic-adaptive-max" ? "max" : "xhigh" };
  return { kind: "adaptive", effort: effort === "minimal" ? "low" : effort };
}

/** By the version in a Claude name: `claude-opus-4-7`, `anthropic.claude-sonnet-4-20250514-v1:0`, `claude-3-7-sonnet`. */
function styleByName(model: string): string {
  if (!/claude/i.test(model)) return "none";
  const match = /(?:claude|opus|sonnet)-(\d+)(?:[-.](\d{1,2})(?!\d))?/i.exec(model);
  if (match === null) return "none";
  const version = Number(match[1]) + Number(match[2] ?? 0) / 10;
  if (version >= 4.7) return "anthropic-adaptive-xhigh";
  if (version >= 4.6) return "anthropic-adaptive-max";
  return version >= 3.7 ? "anthropic-budget" : "none";
}

/** Claude 4.7 takes no sampling parameters at all. */
export function refusesSampling(model: string): boolean {
  return /4[-.]7/.test(model);
}

const geminiBudgets: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 4_096,
  medium: 8_192,
  high: 16_384,
  xhigh: 24_576,
};

/** `thinkingConfig` of a Gemini request; undefined for models that do not think. */
export function geminiThinking({ target, options }: ModelRequest): Fields | undefined {
  const { model, quirks } = target;
  if (quirks.reasoning === "none") return undefined;
  const version = /gemini-(\d+(?:\.\d+)?)/i.exec(model)?.[1];
  if (version === undefined || Number(version) < 2.5) return undefined;
  const effort = options.reasoning;
  if (effort === undefined) return { includeThoughts: true };
  if (Number(version) >= 3) {
    if (effort === "medium") return { includeThoughts: true };
    const isHigh = effort === "high" || effort === "xhigh";
    return { includeThoughts: effort !== "none", thinkingLevel: isHigh ? "high" : "low" };
  }
  // The large model of 2.5 cannot stop thinking; 128 is its smallest budget.
  const least = /pro/i.test(model) ? 128 : 0;
  return { includeThoughts: effort !== "none", thinkingBudget: Math.max(least, geminiBudgets[effort]) };
}

import type { ToolChoice } from "#conversation";
import type { ModelRequest } from "../../request.ts";
import type { Target } from "../../target.ts";
import { defined, writeBody } from "../body.ts";
import type { WireRequest } from "../protocol.ts";
import { type AnthropicEffort, anthropicEffort, refusesSampling } from "../shared/effort.ts";
import { endpointHeaders, hostOf, isBedrockHost, isHost } from "../shared/endpoint.ts";
import { hasFastService } from "../shared/fast-service.ts";
import { insistedOutput } from "../shared/output-limit.ts";
import { wireTools } from "../shared/schema/tool-schema.ts";
import { WireMemo } from "../wire-memo.ts";
import { anthropicMessages } from "./messages.ts";
import { isThinkingBlock } from "./thinking.ts";
import type { Block, WireTool } from "./wire.ts";

const interleaved = "interleaved-thinking-2025-05-14";
const eagerTools = "fine-grained-tool-streaming-2025-05-14";
const fastMode = "fast-mode-2026-02-01";

/** A request as `POST /v1/messages`, or as Bedrock's invocation of the same body. */
export function lowerAnthropic(request: ModelRequest, memo = new WireMemo()): WireRequest {
  const { target, options } = request;
  const host = hostOf(target);
  const { stream } = options;
  const { system, messages, lastAnswer, hasImages } = anthropicMessages(request, memo);
  const hasTools = request.tools.length > 0 && options.toolChoice !== "none";
  const plan = planThinking(request, lastAnswer);
  const isFast = options.serviceTier === "fast" && hasFastService(target);
  const betas = [interleaved, ...(isHost(host, "minimax.io") || isHost(host, "minimaxi.com") ? [] : [eagerTools])];
  if (isFast) betas.push(fastMode);
  const shared = defined({
    messages,
    max_tokens: plan.maxTokens,
    system,
    tools: hasTools ? toolsOf(request, memo) : undefined,
    tool_choice: hasTools ? toolChoice(options.toolChoice) : undefined,
    ...plan.fields,
    temperature: temperatureOf(request, plan.isThinking) ?? plan.fields["temperature"],
    speed: isFast ? "fast" : undefined,
    ...target.quirks.extraBody,
    ...options.extraBody,
  });
  if (isBedrockHost(host)) return onBedrock(target, { shared, betas, stream });
  return {
    method: "POST",
    path: "/v1/messages",
    headers: {
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      "anthropic-beta": betas.join(","),
      ...endpointHeaders(request, hasImages),
    },
    body: writeBody({ model: modelName(target), ...shared, ...(stream ? { stream: true } : {}) }),
    framing: stream ? "sse" : "json",
  };
}

interface BedrockDeps {
  readonly shared: Readonly<Record<string, unknown>>;
  readonly betas: readonly string[];
  readonly stream: boolean;
}

/** Bedrock names the model in the path and the version in the body, and frames the stream its own way. */
function onBedrock(target: Target, { shared, betas, stream }: BedrockDeps): WireRequest {
  const model = encodeURIComponent(target.model);
  return {
    method: "POST",
    path: `/model/${model}/${stream ? "invoke-with-response-stream" : "invoke"}`,
    headers: {
      "content-type": "application/json",
      accept: stream ? "application/vnd.amazon.eventstream" : "application/json",
    },
    body: writeBody({ anthropic_version: "bedrock-2023-05-31", anthropic_beta: betas, ...shared }),
    framing: stream ? "aws-event-stream" : "json",
  };
}

function modelName({ model, quirks }: Target): string {
  const bare = model.startsWith("anthropic/") ? model.slice("anthropic/".length) : model;
  return quirks.hyphenatedModel === true ? bare.replaceAll(".", "-") : bare;
}

function toolsOf(request: ModelRequest, memo: WireMemo): readonly WireTool[] {
  return wireTools(request.tools, request.target.quirks, memo).map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: tool.parameters,
  }));
}

function toolChoice(choice: ToolChoice | undefined): unknown {
  if (choice === undefined || choice === "none") return undefined;
  if (choice === "auto") return { type: "auto" };
  return choice === "required" ? { type: "any" } : { type: "tool", name: choice.name };
}

interface ThinkingPlan {
  readonly isThinking: boolean;
  readonly maxTokens: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

const answerRoom = 4_096;
const smallestBudget = 1_024;

/** Thinking, where this request allows it, and the output limit that leaves room for an answer. */
function planThinking(request: ModelRequest, lastAnswer: readonly Block[]): ThinkingPlan {
  const limit = insistedOutput(request);
  const effort = allowedEffort(request, lastAnswer);
  const off: ThinkingPlan = { isThinking: false, maxTokens: limit, fields: {} };
  if (effort.kind === "off") return off;
  if (effort.kind === "adaptive")
    return {
      isThinking: true,
      maxTokens: limit,
      fields: {
        thinking: { type: "adaptive", display: "summarized" },
        output_config: { effort: effort.effort },
      },
    };
  const tokens = Math.min(effort.tokens, request.target.limits.contextWindow - 1 - answerRoom);
  if (tokens < smallestBudget) return off;
  return {
    isThinking: true,
    maxTokens: Math.max(limit, tokens + answerRoom),
    fields: { thinking: { type: "enabled", budget_tokens: tokens }, temperature: 1 },
  };
}

/** A forced call excludes thinking; with a budget, Claude also wants the open tool turn to begin with thinking. */
function allowedEffort(request: ModelRequest, lastAnswer: readonly Block[]): AnthropicEffort {
  const effort = anthropicEffort(request);
  const choice = request.options.toolChoice;
  const isForced = choice === "required" || (typeof choice === "object" && choice !== null);
  if (isForced && request.tools.length > 0) return { kind: "off" };
  const callsTools = lastAnswer.some((block) => block.type === "tool_use");
  const lacksThinking = callsTools && !isThinkingBlock(lastAnswer[0]);
  const isStrict = /claude/i.test(request.target.model);
  return effort.kind === "budget" && lacksThinking && isStrict ? { kind: "off" } : effort;
}

function temperatureOf({ target, options }: ModelRequest, isThinking: boolean): number | undefined {
  if (isThinking || target.quirks.omitTemperature === true || refusesSampling(target.model)) return undefined;
  return options.temperature;
}

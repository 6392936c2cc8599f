import { type Message, totalRepairs } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import { canonicalJson } from "#foundation/text/json";
import { countRepairs, type ModelRequest, type ReasoningEffort, type RequestOptions } from "#model";
import type { Listing } from "#tools";
import type { Conversation } from "../../conversation.ts";
import type { PromptSource } from "../../ports.ts";
import type { RequestTweaks, Turn } from "../turn.ts";
import { hasImages, type ImageViews } from "./image-views.ts";

/** What the user set for the requests of a session. */
export interface RequestSettings {
  readonly reasoning?: ReasoningEffort;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly cacheTtl?: "5m" | "1h";
  readonly serviceTier?: "fast" | "normal";
  readonly extraBody?: Readonly<Record<string, unknown>>;
}

export interface RequestDeps {
  readonly conversation: Conversation;
  readonly prompt: PromptSource;
  readonly settings: RequestSettings;
  listing(): Listing;
  /** Words for the system prompt of this call only; never stored. */
  ephemeral(turn: Turn): string | undefined;
  /** Messages in front of the history, on every call; never stored. */
  readonly prefill: readonly Message[];
  /** Endpoints that said they cannot stream. */
  readonly withoutStreaming: ReadonlySet<string>;
  readonly images: ImageViews;
  readonly logger: Logger;
  /** Sees every request that goes out, with the reason for which it may differ from the last. */
  onRequest(request: ModelRequest, breakCause: string | undefined): void;
}

/** The request that went out last in this turn. */
export interface LastRequest {
  request: ModelRequest | undefined;
}

export interface RequestBuilder {
  /** The request of the next attempt, made from the turn as it is now. */
  next(turn: Turn): Promise<ModelRequest>;
  /** The same, for measuring: nothing is used up by looking. */
  preview(turn: Turn): Promise<ModelRequest>;
}

export function createRequestBuilder(deps: RequestDeps): RequestBuilder {
  const build = async (turn: Turn, tweaks: RequestTweaks): Promise<ModelRequest> => {
    const system = await deps.prompt.text();
    const ephemeral = deps.ephemeral(turn);
    const { target, signal } = turn;
    const sent = deps.conversation.sent.view(turn.history, target);
    const history = sent.some(hasImages) ? await deps.images.view(sent, target, signal) : sent;
    return {
      target,
      system,
      ...(ephemeral === undefined || ephemeral === "" ? {} : { ephemeral }),
      messages: deps.prefill.length === 0 ? history : [...deps.prefill, ...history],
      tools: deps.listing().definitions,
      options: optionsFor(turn, { deps, tweaks }),
    };
  };
  let lastRepairs = "";
  return {
    preview: (turn) => build(turn, {}),
    async next(turn) {
      const request = await build(turn, turn.takeTweaks());
      lastRepairs = logRepairs(request, lastRepairs, deps.logger);
      deps.onRequest(request, turn.breakCause);
      turn.breakCause = undefined;
      return request;
    },
  };
}

/** Repairs happen on the copy that is sent; they are counted here, once for each new set of them. */
function logRepairs(request: ModelRequest, before: string, logger: Logger): string {
  const counts = countRepairs(request.messages);
  if (totalRepairs(counts) === 0) return "";
  const now = canonicalJson(counts);
  if (now !== before) logger.debug("messages repaired for the request", { ...counts });
  return now;
}

function optionsFor(
  turn: Turn,
  { deps, tweaks }: { readonly deps: RequestDeps; readonly tweaks: RequestTweaks },
): RequestOptions {
  const { target } = turn;
  const streams = !deps.withoutStreaming.has(target.baseUrl);
  const base: RequestOptions = {
    ...deps.settings,
    stream: streams,
    cacheKey: deps.conversation.rootSessionId,
    initiator: turn.steps.taken > 1 ? "agent" : "user",
    ...tweaks.options,
  };
  return without(base, tweaks);
}

const optionOfParameter: Readonly<Record<string, keyof RequestOptions>> = {
  temperature: "temperature",
  max_tokens: "maxOutputTokens",
  max_completion_tokens: "maxOutputTokens",
  max_output_tokens: "maxOutputTokens",
  reasoning: "reasoning",
  reasoning_effort: "reasoning",
  thinking: "reasoning",
  service_tier: "serviceTier",
  prompt_cache_key: "cacheKey",
};

/** Leaves out what the endpoint refuses. */
function without(options: RequestOptions, tweaks: RequestTweaks): RequestOptions {
  const refused = tweaks.withoutParameters ?? [];
  if (refused.length === 0) return options;
  const dropped = new Set(refused.map((name) => optionOfParameter[name]));
  const extraBody = Object.fromEntries(
    Object.entries(options.extraBody ?? {}).filter(([name]) => !refused.includes(name)),
  );
  const kept = Object.fromEntries(
    Object.entries({ ...options, extraBody }).filter(([name]) => !dropped.has(name as keyof RequestOptions)),
  );
  return { ...kept, stream: options.stream };
}

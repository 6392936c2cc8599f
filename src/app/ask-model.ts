import type { Message, SessionId, ToolDefinition } from "#conversation";
import {
  type Collected,
  Collector,
  estimateRequest,
  type ModelFailure,
  type RequestOptions,
  type TargetWish,
} from "#model";
import { budgetedCalls } from "./agent/session-money.ts";
import type { Models } from "./wire-model.ts";

export interface AskedModel {
  readonly wish: TargetWish;
  readonly system?: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolDefinition[];
  readonly options?: Partial<RequestOptions>;
}

export type AskedAnswer =
  | { readonly kind: "answer"; readonly model: string; readonly collected: Collected }
  | { readonly kind: "failed"; readonly reason: string; readonly failure?: ModelFailure };

/** One call to a model somebody named, through the money gate; no remedies, no conversation. */
export async function askModel(models: Models, asked: AskedModel, signal: AbortSignal): Promise<AskedAnswer> {
  const resolution = await models.resolve(asked.wish, signal);
  if (resolution.kind === "failure") return { kind: "failed", reason: `${resolution.message} ${resolution.hint}` };
  const { target } = resolution;
  const money = budgetedCalls({ models, spentUsd: 0, sessionId: "tools" as SessionId, emit: () => undefined });
  const request = {
    target,
    system: asked.system ?? "",
    messages: asked.messages,
    tools: asked.tools ?? [],
    options: { stream: true, initiator: "agent" as const, ...asked.options },
  };
  const reserved = await money.reserve(
    request,
    { sessionId: "tools" as SessionId, estimatedTokens: estimateRequest(request) },
    signal,
  );
  if ("refused" in reserved) return { kind: "failed", reason: reserved.refused.message, failure: reserved.refused };
  const collector = new Collector();
  let failure: ModelFailure | undefined;
  try {
    for await (const event of models.stream(request, signal)) {
      if (event.type === "attempt-failed") failure = event.failure;
      else if (event.type !== "rate-limits") collector.add(event);
    }
  } finally {
    const { usage, costUsd } = collector.result();
    const counted = { sessionId: "tools" as SessionId, target, usage, costUsd };
    await money.settle(reserved.id, counted, new AbortController().signal);
  }
  if (failure !== undefined) return { kind: "failed", reason: failure.message, failure };
  return { kind: "answer", model: target.model, collected: collector.result() };
}

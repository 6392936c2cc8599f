import type { Message, SessionId, Spender, ToolDefinition } from "#conversation";
import { defined } from "#foundation/defined";
import { silentLogger } from "#foundation/files/logger";
import { systemClock } from "#foundation/time/clock";
import {
  type Collected,
  estimateRequest,
  type ModelFailure,
  type Models,
  type RequestOptions,
  type TargetRequest,
} from "#model";
import { budgetedMoney } from "../money/budgeted-money.ts";
import { callModel } from "../turn/request/call-model.ts";

export interface AskedModel {
  readonly wanted: TargetRequest;
  /** Whose money it is. */
  readonly spender: Spender;
  /** What the call is for, in the account. */
  readonly purpose: string;
  readonly system?: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolDefinition[];
  readonly options?: Partial<RequestOptions>;
}

export type AskedAnswer =
  | { readonly kind: "answer"; readonly model: string; readonly collected: Collected; readonly usd?: number }
  | { readonly kind: "failed"; readonly reason: string; readonly failure?: ModelFailure };

/** One call to a model somebody named, through the money gate; no remedies, no conversation. */
export async function askModel(models: Models, asked: AskedModel, signal: AbortSignal): Promise<AskedAnswer> {
  const resolution = await models.resolve(asked.wanted, signal);
  if (resolution.kind === "failure") return { kind: "failed", reason: `${resolution.message} ${resolution.hint}` };
  const { target } = resolution;
  const money = budgetedMoney({
    gate: models.budget,
    quote: (priced) => models.catalog.catalog.prices(models.question(priced)),
    spender: asked.spender,
    purpose: asked.purpose,
    warn: () => undefined,
  });
  const request = {
    target,
    system: asked.system ?? "",
    messages: asked.messages,
    tools: asked.tools ?? [],
    options: { stream: true, initiator: "agent" as const, ...asked.options },
  };
  const view = { sessionId: asked.spender.sessionId as SessionId, estimatedTokens: estimateRequest(request) };
  const calling = {
    stream: models.stream.bind(models),
    money,
    clock: systemClock,
    logger: models.context.logger ?? silentLogger,
  };
  const { collected, failure } = await callModel(request, view, { deps: calling, signal });
  if (failure !== undefined) return { kind: "failed", reason: failure.message, failure };
  const usd =
    collected.usage === undefined
      ? collected.costUsd
      : models.catalog.catalog.cost(models.question(target), collected.usage, collected.costUsd).cost.usd;
  return { kind: "answer", model: target.model, collected, ...defined({ usd }) };
}

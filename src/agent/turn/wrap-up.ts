import { userMessage } from "#conversation";
import type { ModelRequest } from "#model";
import type { TurnOutcome } from "./outcome.ts";
import { type CallEnd, type CallModelDeps, callModel } from "./request/call-model.ts";
import type { ContextMeter } from "./request/meter.ts";
import type { Turn } from "./turn.ts";

const instruction =
  "No steps are left for this request, and tools can no longer be used. Tell the user now what you found, what you did, what is still open and what you would do next.";

export interface WrapUpDeps extends CallModelDeps {
  readonly meter: ContextMeter;
  buildRequest(turn: Turn): Promise<ModelRequest>;
}

/**
 * The last words of a turn whose steps are spent: one call that must not use tools, repeated once when
 * it says nothing. The tools stay in the request, so that the provider's cache still knows its beginning.
 */
export function createWrapUp(deps: WrapUpDeps): (turn: Turn) => Promise<TurnOutcome> {
  return async (turn) => {
    const text = (await lastWords(turn, deps)) ?? (await lastWords(turn, deps)) ?? fixedWords(turn);
    await turn.append([{ role: "assistant", content: text, finish_reason: "stop" }]);
    return { exitReason: "max_iterations_reached", text };
  };
}

async function lastWords(turn: Turn, deps: WrapUpDeps): Promise<string | undefined> {
  turn.phase = "calling";
  const request = await deps.buildRequest(turn);
  const asked: ModelRequest = {
    ...request,
    messages: [...request.messages, userMessage(instruction)],
    options: { ...request.options, toolChoice: "none" },
  };
  const view = {
    sessionId: turn.sessionId,
    estimatedTokens: deps.meter.current(asked),
    emit: turn.emit.bind(turn),
  };
  turn.emit({ type: "attempt-start", provider: turn.target.provider, model: turn.target.model });
  let end: CallEnd;
  try {
    end = await callModel(asked, view, { deps, signal: turn.signal });
  } finally {
    turn.emit({ type: "attempt-end" });
  }
  const text = end.collected.message.content.trim();
  return end.failure !== undefined || text === "" ? undefined : text;
}

function fixedWords(turn: Turn): string {
  return `I stopped after ${turn.steps.limit} steps, the limit for one request, without finishing. Ask me to go on, or raise agent.max_turns.`;
}

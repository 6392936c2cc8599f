import { type AssistantMessage, assistantMessage, type Message, openCalls, type ToolCall } from "#conversation";
import { type RecoveryDeps, recover } from "./recovery/remedy.ts";
import { type ExplainFailure, exitFor } from "./turn/exit.ts";
import type { LoopVerdict } from "./turn/loop-guard.ts";
import { answerOpenCalls } from "./turn/open-calls.ts";
import type { TurnOutcome } from "./turn/outcome.ts";
import type { Problem } from "./turn/problem.ts";
import type { Turn } from "./turn/turn.ts";
import { costNoStep } from "./unfinished-turn.ts";

export type Attempt = { readonly reply: AssistantMessage } | { readonly problem: Problem };

export interface LoopDeps extends RecoveryDeps {
  /** One model call: assembled, streamed, collected, inspected. Rejects only for aborts and bugs. */
  attempt(turn: Turn): Promise<Attempt>;
  /** One result per call, always. */
  runTools(calls: readonly ToolCall[], turn: Turn): Promise<{ messages: readonly Message[]; verdict: LoopVerdict }>;
  /** A call that a crash left without a result may simply be run again. */
  mayRepeat(call: ToolCall): boolean;
  /** Compresses when the context is nearly full. */
  fitContext(turn: Turn): Promise<void>;
  /** The last words when no step is left: a call without tools. */
  wrapUp(turn: Turn): Promise<TurnOutcome>;
  /** Words for a failure that ends the turn; plain ones when absent. */
  readonly explain?: ExplainFailure | undefined;
}

const cutShort = "Cut short before it finished: the turn was interrupted.";
const interruptionMarker = "(interrupted by the user)";

/** Runs one turn, from the user's message to the model's last word, and says how it ended. */
export async function runTurn(turn: Turn, deps: LoopDeps): Promise<TurnOutcome> {
  turn.emit({ type: "turn-start", sessionId: turn.sessionId, turnId: turn.turnId });
  let outcome: TurnOutcome;
  try {
    outcome = await takeSteps(turn, deps);
  } catch (error) {
    const reason = turn.interruptReason();
    turn.dropScaffold();
    await turn.settleOpenCalls(cutShort);
    if (!turn.signal.aborted) throw error;
    outcome = { exitReason: reason };
  }
  if (turn.signal.aborted && turn.history.at(-1)?.role !== "assistant") await turn.append([stoppedReply(turn)]);
  return outcome;
}

/** What had been said, and that it was stopped: the person finds it again, and the model does not answer the old request anew. */
function stoppedReply({ unfinished }: Turn): AssistantMessage {
  const explanation = unfinished.trim();
  const content = explanation === "" ? interruptionMarker : `${explanation}\n\n${interruptionMarker}`;
  return { role: "assistant", content, finish_reason: "interrupted" };
}

async function takeSteps(turn: Turn, deps: LoopDeps): Promise<TurnOutcome> {
  const open = openCalls(turn.history);
  if (open.length > 0) await answerOpenCalls(open, turn, deps);
  for (;;) {
    turn.phase = "between";
    turn.signal.throwIfAborted();
    if (!turn.steps.take()) return deps.wrapUp(turn);
    turn.emit({ type: "step-start", step: turn.steps.taken, limit: turn.steps.limit });
    await deps.fitContext(turn);

    const next = await nextReply(turn, deps);
    turn.dropScaffold();
    if ("exitReason" in next) {
      if (next.reply !== undefined) await turn.append([next.reply]);
      return next;
    }
    await turn.append([next]);
    turn.endStep();

    const calls = next.tool_calls ?? [];
    if (calls.length === 0) return { exitReason: "text_response", text: next.content };
    turn.phase = "tools";
    const { messages, verdict } = await deps.runTools(calls, turn);
    await turn.append(messages);
    if (verdict === "stop" && !turn.signal.aborted) return stopCircling(turn);
    if (costNoStep(calls, turn.tools)) turn.steps.refund();
  }
}

/** A good reply, or how the turn ends because no remedy could treat the problem. */
async function nextReply(turn: Turn, deps: LoopDeps): Promise<AssistantMessage | TurnOutcome> {
  for (;;) {
    turn.phase = "calling";
    const attempt = await deps.attempt(turn);
    if ("reply" in attempt) return attempt.reply;
    const roomBefore = turn.target.limits.contextWindow;
    const relief = await recover(attempt.problem, turn, deps);
    if (relief === undefined) return exitFor(attempt.problem, turn, deps.explain);
    if (relief.kind === "end") return relief.outcome;
    // Another model may have a smaller window than the one that was asked first.
    if (turn.target.limits.contextWindow < roomBefore) await deps.fitContext(turn);
  }
}

async function stopCircling(turn: Turn): Promise<TurnOutcome> {
  const name = turn.lastToolNames().at(0) ?? "a tool";
  const explanation = `Stopped: ${name} was called again and again with the same arguments and the same result, so going on would not have helped.`;
  await turn.append([assistantMessage(explanation, { finish_reason: "stop" })]);
  return { exitReason: "loop_detected", text: explanation, error: explanation };
}

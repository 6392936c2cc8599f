import type { TurnResult } from "#conversation";
import { describe } from "#foundation/errors";
import { quietly } from "#foundation/files/quietly";
import type { AgentDeps } from "../agent-deps.ts";
import { tidyAfterLoss } from "./lost-request.ts";
import type { TurnOutcome } from "./outcome.ts";
import type { LastRequest } from "./request/request.ts";
import { resultOf } from "./result.ts";
import type { SteerBox } from "./steer-box.ts";
import type { Turn } from "./turn.ts";
import type { TurnFigures } from "./turn-figures.ts";

export interface TurnClosing {
  readonly outcome: TurnOutcome;
  /** The user's words as they are stored. */
  readonly userText: string;
  readonly figures: TurnFigures;
  readonly steer: SteerBox;
  readonly last: LastRequest;
  /** What whoever interrupted had to say. */
  readonly interruptMessage: string | undefined;
}

/** The one way out of a turn: whatever the outcome, it is tidied up, accounted for and told in this order. */
export async function finishTurn(turn: Turn, end: TurnClosing, deps: AgentDeps): Promise<TurnResult> {
  const { outcome, userText, figures, interruptMessage } = end;
  const { conversation, logger } = deps;
  turn.dropScaffold();
  const { record, observers } = deps;
  await quietly(
    "tidying up after a lost request",
    () =>
      tidyAfterLoss(turn, outcome, {
        request: end.last.request,
        meter: conversation.meter,
        logger,
        record,
      }),
    { logger },
  );
  conversation.history = turn.history;
  conversation.sessionId = turn.sessionId;
  const isInterrupted = outcome.exitReason.startsWith("interrupted");
  const pendingSteer = end.steer.take();
  const result = resultOf({
    turn,
    conversation,
    outcome,
    figures,
    wasPreviewed: outcome.text !== undefined && figures.hasShown(outcome.text),
    interruptMessage: isInterrupted ? interruptMessage : undefined,
    pendingSteer: isInterrupted ? undefined : pendingSteer,
  });
  logger.info("turn ended", { session: turn.sessionId, exit: outcome.exitReason, steps: turn.steps.taken });
  await tellHooks(turn, { result, userText }, deps);
  turn.finish(outcome);
  try {
    observers.afterTurn?.(result, turn);
  } catch (error) {
    logger.warn("what follows a turn failed", { error: describe(error) });
  }
  return result;
}

async function tellHooks(
  turn: Turn,
  { result, userText }: { readonly result: TurnResult; readonly userText: string },
  { observers: { hooks }, memory, logger }: AgentDeps,
): Promise<void> {
  const facts = { sessionId: turn.sessionId, model: turn.target.model };
  if (result.text !== undefined && !result.interrupted) {
    const answered = { ...facts, userText, answer: result.text, history: turn.history };
    await quietly("telling memory of an answer", () => memory.turns?.sync(userText, answered.answer), { logger });
    await quietly("a hook after an answer", () => hooks?.afterAnswer?.(answered), { logger });
  }
  const ended = { ...facts, completed: result.completed, interrupted: result.interrupted };
  await quietly("a hook at the end of a turn", () => hooks?.onTurnEnd?.(ended), { logger });
}

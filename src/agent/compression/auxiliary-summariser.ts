import { userMessage } from "#conversation";
import type { Auxiliary, AuxiliaryOutcome, Target } from "#model";
import type { Summarise, SummaryAnswer } from "./summarize.ts";

/** Statuses with which a gateway says that it does not serve a model (now). */
const missingStatuses: ReadonlySet<number | undefined> = new Set([404, 503]);

/** Summaries through the side calls of a session (task `compression`). */
export function auxiliarySummariser(auxiliary: Pick<Auxiliary, "run" | "planned">, main: () => Target): Summarise {
  return async ({ prompt, maxTokens, useMainModel }, signal) => {
    const { provider, model } = main();
    const planned = auxiliary.planned("compression");
    const isDistinct = planned !== undefined && (planned.provider !== provider || planned.model !== model);
    const outcome = await auxiliary.run(
      "compression",
      {
        messages: [userMessage(prompt)],
        maxTokens,
        ...(useMainModel && isDistinct ? { provider: "main", model } : {}),
      },
      signal,
    );
    return answerOf(outcome, isDistinct && !useMainModel);
  };
}

function answerOf(outcome: AuxiliaryOutcome, isDistinct: boolean): SummaryAnswer {
  if (outcome.kind === "done") return { kind: "text", text: outcome.text, model: outcome.target.model };
  const { failure, code } = outcome;
  return {
    kind: "failed",
    code,
    isNoProvider: failure === undefined,
    isModelMissing: isDistinct && (failure?.kind === "model_not_found" || missingStatuses.has(failure?.status ?? 0)),
    isTooLong: failure?.kind === "context_overflow",
  };
}

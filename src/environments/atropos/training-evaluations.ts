import { describe } from "#foundation/errors";
import type { EnvConfig } from "../env/config.ts";

interface EvaluationDeps {
  readonly config: Pick<EnvConfig, "eval_handling" | "eval_limit_ratio">;
  evaluate(step: number, signal: AbortSignal): Promise<void>;
  onEvent(line: string): void;
}

/** Evaluations while a trainer is fed: one at a time, and training makes way for it as far as it was told to. */
export class TrainingEvaluations {
  readonly #deps: EvaluationDeps;
  #running: Promise<void> | undefined;

  constructor(deps: EvaluationDeps) {
    this.#deps = deps;
  }

  start(step: number, signal: AbortSignal): void {
    const { evaluate, onEvent } = this.#deps;
    if (this.#running !== undefined) {
      onEvent("warning: an evaluation is due while the last one still runs; it is left out");
      return;
    }
    onEvent("evaluation begins");
    this.#running = evaluate(step, signal)
      .catch((error: unknown) => {
        if (!signal.aborted) onEvent(`the evaluation failed: ${describe(error)}`);
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** How many groups training may work on now. */
  limit(workers: number): number {
    const { eval_handling: handling, eval_limit_ratio: ratio } = this.#deps.config;
    if (this.#running === undefined || handling === "NONE") return workers;
    return handling === "LIMIT_TRAIN" ? Math.floor(workers * ratio) : 0;
  }

  /** When none runs any more. */
  async finished(): Promise<void> {
    await this.#running;
  }
}

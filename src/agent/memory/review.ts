import type { Message } from "#conversation";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { onAbort } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import { within } from "./bounded.ts";
import { newActions, summaryLine } from "./review-summary.ts";
import { type ReviewKind, reviewInstruction } from "./review-texts.ts";

/** Kept with the session, so that a restart does not start counting again. */
export interface ReviewCounters {
  readonly turnsSinceMemory: number;
  readonly stepsSinceSkill: number;
}

export const freshCounters: ReviewCounters = { turnsSinceMemory: 0, stepsSinceSkill: 0 };

/** 0 switches a review off. */
export interface ReviewIntervals {
  readonly memoryTurns: number;
  readonly skillSteps: number;
}

/** What one turn did: the names of the tools each of its steps called, and whether the user got an answer. */
export interface ReviewedTurn {
  readonly steps: readonly (readonly string[])[];
  readonly isDelivered: boolean;
}

export interface ReviewVerdict {
  readonly counters: ReviewCounters;
  readonly due: ReviewKind | undefined;
}

/** Pure: counts one turn. A review that falls due on a turn without an answer is due after the next one. */
export function countTurn(counters: ReviewCounters, turn: ReviewedTurn, intervals: ReviewIntervals): ReviewVerdict {
  const called = turn.steps.flat();
  const turnsSinceMemory = called.includes("memory") ? 0 : counters.turnsSinceMemory + 1;
  const lastManage = turn.steps.findLastIndex((names) => names.includes("skill_manage"));
  const stepsSinceSkill =
    lastManage >= 0 ? turn.steps.length - 1 - lastManage : counters.stepsSinceSkill + turn.steps.length;
  const isMemoryDue = intervals.memoryTurns > 0 && turnsSinceMemory >= intervals.memoryTurns;
  const isSkillDue = intervals.skillSteps > 0 && stepsSinceSkill >= intervals.skillSteps;
  if (!turn.isDelivered || !(isMemoryDue || isSkillDue)) {
    return { counters: { turnsSinceMemory, stepsSinceSkill }, due: undefined };
  }
  return {
    counters: {
      turnsSinceMemory: isMemoryDue ? 0 : turnsSinceMemory,
      stepsSinceSkill: isSkillDue ? 0 : stepsSinceSkill,
    },
    due: isMemoryDue && isSkillDue ? "both" : isMemoryDue ? "memory" : "skills",
  };
}

export interface ReviewJob {
  readonly instruction: string;
  readonly history: readonly Message[];
  readonly toolNames: readonly string[];
  readonly maxSteps: number;
  readonly deadlineMs: number;
}

export interface ReviewDeps {
  /** Runs a detached agent that leaves no session behind, and gives its messages. */
  runReview(job: ReviewJob, signal: AbortSignal): Promise<readonly Message[]>;
  /** One line for the user, and for whoever listens to `background_review`. */
  announce(line: string): void;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly intervals: ReviewIntervals;
  readonly counters?: ReviewCounters;
}

const maxSteps = 8;
const deadlineMs = 120_000;
const reviewTools: readonly string[] = ["memory", "skills_list", "skill_view", "skill_manage"];

/** The background reviews of one session: at most one at a time, never in the user's way. */
export class BackgroundReview implements AsyncDisposable {
  readonly #deps: ReviewDeps;
  readonly #stop = new AbortController();
  #counters: ReviewCounters;
  #running: Promise<void> | undefined;

  constructor(deps: ReviewDeps) {
    this.#deps = deps;
    this.#counters = deps.counters ?? freshCounters;
  }

  /** To be stored with the session. */
  get counters(): ReviewCounters {
    return this.#counters;
  }

  /** Resolves when no review runs. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Counts the turn and starts a review when one is due. Returns at once; `tools` are those this session has. */
  turnEnded(turn: ReviewedTurn, history: readonly Message[], tools: ReadonlySet<string>): void {
    // While one runs, the next stays due: it is asked for again after the following turn.
    const isFree = this.#running === undefined && !this.#stop.signal.aborted;
    const { intervals } = this.#deps;
    const usable = {
      memoryTurns: tools.has("memory") ? intervals.memoryTurns : 0,
      skillSteps: tools.has("skill_manage") ? intervals.skillSteps : 0,
    };
    const verdict = countTurn(this.#counters, { ...turn, isDelivered: turn.isDelivered && isFree }, usable);
    this.#counters = verdict.counters;
    if (verdict.due === undefined) return;
    const snapshot = [...history];
    this.#running = this.#run(verdict.due, snapshot, tools).finally(() => {
      this.#running = undefined;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(kind: ReviewKind, history: readonly Message[], tools: ReadonlySet<string>): Promise<void> {
    const { clock, logger, announce } = this.#deps;
    const toolNames = reviewTools.filter((name) => tools.has(name) && (kind !== "memory" || name === "memory"));
    const job = { instruction: reviewInstruction(kind), history, toolNames, maxSteps, deadlineMs };
    const own = new AbortController();
    using _stop = onAbort(this.#stop.signal, (reason) => own.abort(reason));
    try {
      const messages = await within((signal) => this.#deps.runReview(job, signal), {
        clock,
        timeoutMs: deadlineMs,
        signal: own.signal,
      });
      const line = summaryLine(newActions(history, messages));
      if (line !== undefined) announce(line);
    } catch (error) {
      if (!this.#stop.signal.aborted) logger.warn("background review failed", { kind, reason: describe(error) });
    }
  }
}

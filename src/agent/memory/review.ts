import type { Message, ToolDetails } from "#conversation";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { onAbort } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import type { Tool } from "#tools";
import { within } from "./bounded.ts";

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

/** What one turn did: what each of its steps changed for good, and whether the user got an answer. */
export interface ReviewedTurn {
  readonly steps: readonly (readonly Lasting[])[];
  readonly isDelivered: boolean;
}

/** What outlives a session. */
export type Lasting = NonNullable<Tool["serves"]>;

export interface ReviewVerdict {
  readonly counters: ReviewCounters;
  readonly due: ReviewKind | undefined;
}

/** Pure: counts one turn. A review that falls due on a turn without an answer is due after the next one. */
export function countTurn(counters: ReviewCounters, turn: ReviewedTurn, intervals: ReviewIntervals): ReviewVerdict {
  const turnsSinceMemory = turn.steps.flat().includes("notes") ? 0 : counters.turnsSinceMemory + 1;
  const lastChange = turn.steps.findLastIndex((changed) => changed.includes("skills"));
  const stepsSinceSkill =
    lastChange >= 0 ? turn.steps.length - 1 - lastChange : counters.stepsSinceSkill + turn.steps.length;
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
  /** Runs a detached agent that leaves no session behind, and gives what its calls did. */
  runReview(job: ReviewJob, signal: AbortSignal): Promise<readonly ToolDetails[]>;
  /** One line for the user, and for whoever listens to `background_review`. */
  announce(line: string): void;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly intervals: ReviewIntervals;
  /** The turns of the session before it was taken up: a restart does not begin to count anew. */
  earlierTurns(): readonly ReviewedTurn[];
}

const maxSteps = 8;
const deadlineMs = 120_000;

/** The background reviews of one session: at most one at a time, never in the user's way. */
export class BackgroundReview implements AsyncDisposable {
  readonly #deps: ReviewDeps;
  readonly #stop = new AbortController();
  #counters: ReviewCounters | undefined;
  #running: Promise<void> | undefined;

  constructor(deps: ReviewDeps) {
    this.#deps = deps;
  }

  /** Resolves when no review runs. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Counts the turn and starts a review when one is due. Returns at once; `tools` are those this session has. */
  turnEnded(turn: ReviewedTurn, history: readonly Message[], tools: readonly Tool[]): void {
    // While one runs, the next stays due: it is asked for again after the following turn.
    const isFree = this.#running === undefined && !this.#stop.signal.aborted;
    const { intervals } = this.#deps;
    const lasting = new Set(tools.filter(({ isLasting }) => isLasting).map(({ serves }) => serves));
    const usable = {
      memoryTurns: lasting.has("notes") ? intervals.memoryTurns : 0,
      skillSteps: lasting.has("skills") ? intervals.skillSteps : 0,
    };
    this.#counters ??= this.#deps
      .earlierTurns()
      .reduce((counters, earlier) => countTurn(counters, earlier, usable).counters, freshCounters);
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

  async #run(kind: ReviewKind, history: readonly Message[], tools: readonly Tool[]): Promise<void> {
    const { clock, logger, announce } = this.#deps;
    const toolNames = tools
      .filter(({ serves }) => serves === "notes" || (serves === "skills" && kind !== "memory"))
      .map(({ name }) => name);
    const job = { instruction: reviewInstruction(kind), history, toolNames, maxSteps, deadlineMs };
    const own = new AbortController();
    using _stop = onAbort(this.#stop.signal, (reason) => own.abort(reason));
    try {
      const done = await within((signal) => this.#deps.runReview(job, signal), {
        clock,
        timeoutMs: deadlineMs,
        signal: own.signal,
      });
      const line = summaryLine(done);
      if (line !== undefined) announce(line);
    } catch (error) {
      if (!this.#stop.signal.aborted) logger.warn("background review failed", { kind, reason: describe(error) });
    }
  }
}

/** `Background review: 2 notes updated, skill deploy-site (create)`, or nothing. What waits for the user is no change yet. */
function summaryLine(done: readonly ToolDetails[]): string | undefined {
  const written = done.filter(
    (one) => one.kind === "notes" && (one.outcome === "saved" || one.outcome === "unchanged"),
  );
  const profile = written.filter((one) => one.kind === "notes" && one.target === "user").length;
  const notes = written.length - profile;
  const skills = new Set(done.flatMap((one) => (one.kind === "skill" ? [`skill ${one.name} (${one.action})`] : [])));
  const texts = [
    ...(notes === 0 ? [] : [notes === 1 ? "1 note updated" : `${notes} notes updated`]),
    ...(profile === 0 ? [] : ["user profile updated"]),
    ...skills,
  ];
  return texts.length === 0 ? undefined : `Background review: ${texts.join(", ")}`;
}

/** Which review is due. */
export type ReviewKind = "memory" | "skills" | "both";

const opening =
  "Pause the conversation above; nobody is waiting for an answer. Look back over it and decide what is worth keeping for later sessions.";

const memoryPart =
  "Notes: did the user show who they are (role, persona, circumstances), what they prefer, or how they expect you to behave and work? " +
  "Save each such point with the memory tool, merged into an existing entry where one covers it.";

const skillPart =
  "Skills: list the existing skills first. Think in classes of tasks, not in this one instance: was there a way of working, found by trial, " +
  "error or correction, that would help with the whole class? If a skill covers the class, look at it and update it. Create one only if none does. " +
  "Mention skills that overlap.";

const closing = "If there is nothing to save, say just that and stop.";

/** The one message that follows the history in a review. */
function reviewInstruction(kind: ReviewKind): string {
  const parts = kind === "memory" ? [memoryPart] : kind === "skills" ? [skillPart] : [memoryPart, skillPart];
  return [opening, ...parts, closing].join("\n\n");
}

/** The one message that follows the history when it is about to be lost. */
export const flushInstruction =
  "This conversation is about to be cut off and you will not see it again. Store with the memory tool what should outlive it: preferences and " +
  "corrections of the user first, then lasting facts about the environment and its conventions. Leave out progress of tasks and whatever " +
  "is noted already. If nothing qualifies, make no call.";

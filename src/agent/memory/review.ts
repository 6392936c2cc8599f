import { callsOf, type Message, readArguments, textOf } from "#conversation";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { onAbort } from "#foundation/lifecycle/abort";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import { within } from "./bounded.ts";

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

/** Something a review has changed. */
export type ReviewAction =
  | { readonly kind: "memory"; readonly target: string }
  | { readonly kind: "skill"; readonly name: string; readonly action: string };

/** The successful changes among the messages that were not there before the review. */
export function newActions(history: readonly Message[], messages: readonly Message[]): readonly ReviewAction[] {
  const known = new Set(history.flatMap((message) => (message.role === "tool" ? [message.tool_call_id] : [])));
  const calls = new Map(messages.flatMap((message) => callsOf(message).map((call) => [call.id, call] as const)));
  const actions: ReviewAction[] = [];
  for (const message of messages) {
    if (message.role !== "tool" || known.has(message.tool_call_id)) continue;
    const answer = parseJson(textOf(message.content));
    if (!answer.ok || !isRecord(answer.value) || answer.value["success"] !== true) continue;
    // What waits for the user is no change yet.
    if (answer.value["pending"] === true) continue;
    const read = readArguments(calls.get(message.tool_call_id)?.function.arguments ?? "{}");
    const args = read.kind === "ok" ? read.value : {};
    const action = actionOf(message.tool_name, args, answer.value);
    if (action !== undefined) actions.push(action);
  }
  return actions;
}

function actionOf(
  tool: string,
  args: Readonly<Record<string, unknown>>,
  answer: Readonly<Record<string, unknown>>,
): ReviewAction | undefined {
  if (tool === "memory") return { kind: "memory", target: String(answer["target"] ?? args["target"] ?? "memory") };
  if (tool !== "skill_manage") return undefined;
  return {
    kind: "skill",
    name: String(args["name"] ?? answer["name"] ?? "?"),
    action: String(args["action"] ?? "changed"),
  };
}

/** `Background review: 2 notes updated, skill deploy-site (create)`, or nothing. */
export function summaryLine(actions: readonly ReviewAction[]): string | undefined {
  if (actions.length === 0) return undefined;
  const notes = actions.filter((action) => action.kind === "memory" && action.target !== "user").length;
  const profile = actions.filter((action) => action.kind === "memory" && action.target === "user").length;
  const parts: string[] = [];
  if (notes > 0) parts.push(notes === 1 ? "1 note updated" : `${notes} notes updated`);
  if (profile > 0) parts.push("user profile updated");
  const skills = new Set(
    actions.flatMap((action) => (action.kind === "skill" ? [`skill ${action.name} (${action.action})`] : [])),
  );
  return `Background review: ${[...parts, ...skills].join(", ")}`;
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
export function reviewInstruction(kind: ReviewKind): string {
  const parts = kind === "memory" ? [memoryPart] : kind === "skills" ? [skillPart] : [memoryPart, skillPart];
  return [opening, ...parts, closing].join("\n\n");
}

/** The one message that follows the history when it is about to be lost. */
export const flushInstruction =
  "This conversation is about to be cut off and you will not see it again. Store with the memory tool what should outlive it: preferences and " +
  "corrections of the user first, then lasting facts about the environment and its conventions. Leave out progress of tasks and whatever " +
  "is noted already. If nothing qualifies, make no call.";

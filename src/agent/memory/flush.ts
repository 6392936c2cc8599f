import { type AssistantMessage, callsOf, type Message, readArguments } from "#conversation";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import { runChecked, type ToolContext, ToolFailure } from "#tools";
import { within } from "./bounded.ts";
import { memoryTool } from "./memory-tool.ts";
import { flushInstruction } from "./review.ts";

/** Why the context is about to be lost. */
export type FlushReason = "compression" | "reset" | "resume" | "exit" | "expiry";

export interface FlushFacts {
  readonly reason: FlushReason;
  readonly history: readonly Message[];
  /** User turns of this session so far. */
  readonly userTurns: number;
  /** Turns that ended since the one in which memory was last written or flushed; undefined when it never was. */
  readonly turnsSinceSaved: number | undefined;
}

export interface FlushSettings {
  readonly isMemoryEnabled: boolean;
  /** `memory.flush_min_turns`; 0 switches the flush at the end of a session off. */
  readonly minTurns: number;
}

export type FlushPlan = { readonly kind: "flush" } | { readonly kind: "skip"; readonly why: string };

const quietTurns = 3;

/** Pure: whether the side call is worth making. */
export function planFlush(facts: FlushFacts, settings: FlushSettings): FlushPlan {
  const skip = (why: string): FlushPlan => ({ kind: "skip", why });
  if (!settings.isMemoryEnabled) return skip("memory is switched off");
  if (facts.history.length === 0) return skip("nothing was said");
  if (facts.turnsSinceSaved !== undefined && facts.turnsSinceSaved < quietTurns) {
    return skip("memory was saved a moment ago");
  }
  if (facts.reason === "compression") return { kind: "flush" };
  if (settings.minTurns <= 0) return skip("switched off");
  if (facts.userTurns < settings.minTurns) return skip("too few turns");
  return { kind: "flush" };
}

export interface FlushRequest {
  readonly messages: readonly Message[];
  readonly instruction: string;
  readonly toolNames: readonly string[];
  readonly maxTokens: number;
  readonly temperature: number;
  readonly timeoutMs: number;
}

export interface FlushDeps {
  /** One model call beside the conversation. Undefined: there was no answer. */
  askOnce(request: FlushRequest, signal: AbortSignal): Promise<AssistantMessage | undefined>;
  /** Of calls of `memory`. */
  readonly context: Omit<ToolContext, "callId" | "signal">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: FlushSettings;
}

export type FlushOutcome =
  | { readonly kind: "flushed"; readonly saved: number; readonly refused: number }
  | { readonly kind: "skipped"; readonly why: string }
  | { readonly kind: "failed"; readonly why: string };

const timeoutMs = 30_000;
const maxTokens = 5_120;
const temperature = 0.3;
const maxCalls = 20;

/** One chance to save before context is lost. Nothing of it enters the transcript; a failure is a warning and no more. */
export async function flushMemory(facts: FlushFacts, deps: FlushDeps, signal: AbortSignal): Promise<FlushOutcome> {
  const plan = planFlush(facts, deps.settings);
  if (plan.kind === "skip") return { kind: "skipped", why: plan.why };
  const request: FlushRequest = {
    messages: facts.history,
    instruction: flushInstruction,
    toolNames: [memoryTool.name],
    maxTokens,
    temperature,
    timeoutMs,
  };
  try {
    const bounds = { clock: deps.clock, timeoutMs, signal };
    const reply = await within((stop) => deps.askOnce(request, stop), bounds);
    if (reply === undefined) return failed("the model did not answer", deps);
    return await carryOut(reply, deps, signal);
  } catch (error) {
    signal.throwIfAborted();
    return failed(describe(error), deps);
  }
}

async function carryOut(reply: AssistantMessage, deps: FlushDeps, signal: AbortSignal): Promise<FlushOutcome> {
  let saved = 0;
  let refused = 0;
  for (const call of callsOf(reply).slice(0, maxCalls)) {
    const args = readArguments(call.function.arguments);
    if (call.function.name !== memoryTool.name || args.kind !== "ok") {
      deps.logger.debug("a call of the memory flush was left out", { tool: call.function.name });
      refused += 1;
      continue;
    }
    if (await isSaved(args.value, { ...deps.context, callId: call.id, signal })) saved += 1;
    else refused += 1;
  }
  return { kind: "flushed", saved, refused };
}

async function isSaved(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<boolean> {
  try {
    return (await runChecked(memoryTool, args, context)).isError !== true;
  } catch (error) {
    if (error instanceof ToolFailure) return false;
    throw error;
  }
}

function failed(why: string, deps: FlushDeps): FlushOutcome {
  deps.logger.warn("memory flush failed", { why });
  return { kind: "failed", why };
}

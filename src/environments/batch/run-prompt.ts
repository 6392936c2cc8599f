import { batchEntry, isCompleted, localTimestamp, type RequestSettings, type StartingModel, toShareGpt } from "#agent";
import { type Message, type TurnResult, totalTokens } from "#conversation";
import { describe } from "#foundation/errors";
import type { PromptRow } from "../datasets/prompts.ts";
import { ensureImage } from "../rollout/images.ts";
import type { Rollouts } from "../rollout/open-rollouts.ts";
import { openRollout, type Rollout } from "../rollout/rollout.ts";
import type { PromptFacts } from "./prompt-facts.ts";
import type { PromptOutcome } from "./prompt-outcome.ts";
import { promptHash } from "./run-folder.ts";
import { noReasoning, reasoningStats, toolStats } from "./sample-stats.ts";

/** How each prompt of a run is worked on. */
export interface PromptSettings {
  readonly runId: string;
  readonly model: StartingModel;
  readonly modelName: string;
  readonly maxSteps: number;
  readonly request: RequestSettings;
  readonly ephemeralPrompt?: string | undefined;
  readonly prefill: readonly Message[];
  /** The toolsets of one prompt. */
  draw(prompt: string): readonly string[];
}

export interface PromptRun {
  readonly row: PromptRow;
  readonly batch: number;
}

/** Runs one prompt in a sandbox of its own. Rejects only when the signal fires. */
export async function runPrompt(
  { row, batch }: PromptRun,
  { rollouts, settings }: { readonly rollouts: Rollouts; readonly settings: PromptSettings },
  signal: AbortSignal,
): Promise<PromptOutcome> {
  const { clock, logger } = rollouts.host.machine;
  const startedMs = clock.now();
  const facts = { prompt_index: row.index, sha256: promptHash(row.prompt), batch_num: batch };
  const since = (): number => (clock.now() - startedMs) / 1000;
  const failed = (error: string): PromptOutcome => {
    logger.warn("a prompt of the batch failed", { prompt: row.index, batch, error });
    return { facts: { ...facts, status: "failed", error, ...nothing, seconds: since() } };
  };
  try {
    const toolsets = settings.draw(row.prompt);
    const { result, tools } = await attempt({ row, toolsets }, { rollouts, settings }, signal);
    signal.throwIfAborted();
    if (result.failed) return failed(result.error ?? result.exitReason);
    const used = toolStats(result.messages);
    const reasoning = reasoningStats(result.messages);
    const counted: Omit<PromptFacts, "status"> = {
      ...facts,
      tool_stats: Object.fromEntries(used),
      reasoning,
      api_calls: result.apiCalls,
      tokens: totalTokens(result.usage),
      cost_usd: result.cost?.usd ?? 0,
      seconds: since(),
    };
    if (reasoning.turns_with_reasoning === 0) return { facts: { ...counted, status: "discarded" } };
    const entry = batchEntry({
      promptIndex: row.index,
      conversations: toShareGpt({ messages: result.messages, query: row.prompt, tools, log: logger }),
      metadata: {
        ...row.metadata,
        batch_num: batch,
        timestamp: localTimestamp(new Date(clock.now())),
        model: settings.modelName,
      },
      completed: isCompleted({
        finalText: result.text,
        apiCalls: result.apiCalls,
        maxIterations: settings.maxSteps,
        isInterrupted: result.interrupted,
        isPartial: result.partial,
        isFailed: result.failed,
      }),
      partial: result.partial,
      apiCalls: result.apiCalls,
      toolsets,
      knownTools: [...rollouts.tools.registry.snapshot().tools.keys()],
      usedTools: used,
    });
    return { facts: { ...counted, status: "saved" }, entry };
  } catch (error) {
    signal.throwIfAborted();
    return failed(describe(error));
  }
}

const nothing = { tool_stats: {}, reasoning: noReasoning, api_calls: 0, tokens: 0, cost_usd: 0 };

async function attempt(
  { row, toolsets }: { readonly row: PromptRow; readonly toolsets: readonly string[] },
  { rollouts, settings }: { readonly rollouts: Rollouts; readonly settings: PromptSettings },
  signal: AbortSignal,
): Promise<{ readonly result: TurnResult; readonly tools: Rollout["tools"] }> {
  if (row.image !== undefined) await ensureImage(row.image, rollouts.host.machine, signal);
  await using rollout = await openRollout(
    rollouts,
    {
      taskId: `${settings.runId}_task_${row.index}`,
      model: settings.model,
      toolsets,
      maxSteps: settings.maxSteps,
      request: settings.request,
      terminal: { image: row.image, cwd: row.cwd },
      ephemeralPrompt: settings.ephemeralPrompt,
      prefill: settings.prefill,
    },
    signal,
  );
  return { result: await rollout.run(row.prompt, signal), tools: rollout.tools };
}

import type { Message, ToolDefinition } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import type { TerminalChoice } from "#tools";
import type { ManagedModel } from "../managed/managed-model.ts";
import type { ToolContext } from "../rollout/tool-context.ts";
import type { Sequence } from "../tokens/sequence.ts";
import type { EnvironmentConfig } from "./config.ts";

/**
 * A family of tasks to train on or to be measured by: it supplies items, says what the model is asked, and scores what the
 * model left behind. Everything else (agent, sandbox, groups, files, trainer) is not its business.
 */
export interface Environment<Item = unknown> {
  readonly name: string;
  readonly about: string;
  /** Its usual configuration; names that are not of every environment are fields of its own. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly server?: Readonly<Record<string, unknown>> | undefined;
  /** Runs untrusted commands and must not do so on this machine unless somebody says so. */
  readonly needsIsolation?: boolean | undefined;
  /** Calls its model may make without a question, as in `permissions.allow`: nobody is there to answer one. */
  readonly allows?: readonly string[] | undefined;
  open(context: EnvironmentContext, signal: AbortSignal): Promise<OpenEnvironment<Item>>;
}

export interface EnvironmentContext {
  readonly config: EnvironmentConfig;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** Asks the model that judges answers; undefined when it cannot be reached. */
  judge(prompt: string, options: JudgeOptions, signal: AbortSignal): Promise<string | undefined>;
  /** Asks what the model itself would have written in place of a reply; undefined where the server cannot tell. */
  readonly scoreReply: ManagedModel["scoreReply"];
}

interface JudgeOptions {
  readonly maxTokens: number;
  readonly temperature: number;
}

export interface OpenEnvironment<Item> {
  /** The items to train on, again and again; undefined when there are no more. */
  next(): Item | undefined;
  /** The items an evaluation runs once. */
  readonly evaluation: readonly Item[];
  /** Most items an evaluation works on at once; `max_eval_workers` holds as well. */
  readonly evaluationWorkers?: number | undefined;
  /** The container images its items name. */
  readonly images?: readonly string[] | undefined;
  prompt(item: Item): string;
  /** Between 0 and 1 as a rule; any finite number counts. */
  reward(item: Item, result: AgentResult, tools: ToolContext): Promise<number | Score>;
  /** What is special about the rollout of this item; where it cannot be made, its attempt fails with that error. */
  rollout?(item: Item, signal: AbortSignal): ItemOptions | Promise<ItemOptions>;
  /** Before the model begins, in its sandbox. */
  prepare?(item: Item, tools: ToolContext): Promise<void>;
  /** Names the item in results; its place in the list when absent. */
  nameOf?(item: Item): string;
  /** Fields of its result line besides those of every environment. */
  describe?(item: Item): Readonly<Record<string, unknown>>;
  /** One word for how it went, on the screen and in the report; PASS and FAIL when absent. */
  status?(score: Score): string;
  /** Figures over all results of an evaluation, besides the usual ones. */
  metrics?(results: readonly ScoredItem<Item>[]): Readonly<Record<string, number>>;
  /** Figures over all rollouts of a training so far. */
  trainMetrics?(results: readonly ScoredItem<Item>[]): Readonly<Record<string, number>>;
  /** After all rollouts of a group: what a trainer gets beside the rewards. */
  distill?(item: Item, rollouts: readonly GroupRollout[], signal: AbortSignal): Promise<Distillation>;
}

/** One rollout of a group, with the exact tokens of its conversation. */
export interface GroupRollout {
  readonly result: AgentResult | undefined;
  readonly tools: readonly ToolDefinition[];
  readonly sequence: Sequence;
}

/** For each position of a sequence the tokens a better informed model would have chosen among, all of one width. */
export interface DistilledSequence {
  readonly tokenIds: readonly (readonly number[])[];
  readonly logprobs: readonly (readonly number[])[];
}

export interface Distillation {
  /** As many as there are rollouts. */
  readonly sequences: readonly (DistilledSequence | undefined)[];
  readonly metrics: Readonly<Record<string, number>>;
}

/** A reward with what else was found out. */
export interface Score {
  readonly reward: number;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface ItemOptions {
  readonly terminal?: TerminalChoice | undefined;
  readonly systemPrompt?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
}

export interface ScoredItem<Item> {
  readonly item: Item;
  readonly reward: number;
  readonly error?: string | undefined;
  readonly result: AgentResult | undefined;
  readonly details: Readonly<Record<string, unknown>>;
}

/** How a rollout went, in the names of existing files. */
export interface AgentResult {
  readonly messages: readonly Message[];
  readonly turns_used: number;
  readonly finished_naturally: boolean;
  readonly reasoning_per_turn: readonly (string | null)[];
  readonly tool_errors: readonly ToolError[];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
  readonly stop_reason: "final" | "max_turns" | "api_error" | "cancelled";
}

export interface ToolError {
  readonly turn: number;
  readonly tool_name: string;
  readonly arguments: string;
  readonly error: string;
}

/** Makes an environment; the types of its items are found out from `open`. */
export function defineEnvironment<Item>(environment: Environment<Item>): Environment {
  return environment as Environment;
}

/** Walks through items for ever, each round in the same order. */
export function cycle<Item>(items: readonly Item[]): () => Item | undefined {
  let at = 0;
  return () => {
    const item = items[at % Math.max(1, items.length)];
    at += 1;
    return item;
  };
}

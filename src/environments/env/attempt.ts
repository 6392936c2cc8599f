import { type Message, promptTokens, type TurnResult, textOf } from "#conversation";
import { describe } from "#foundation/errors";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import { isRecord, parseJson } from "#foundation/text/json";
import { type CallSlots, drawToolsets } from "#tools";
import type { ManagedModel } from "../managed/managed-model.ts";
import type { TokenCall } from "../managed/sequence-tracker.ts";
import { rolloutTeller, type TellRun } from "../progress/run-event.ts";
import type { Cassette } from "../replay/cassette.ts";
import { Tape } from "../replay/tape.ts";
import type { Rollouts } from "../rollout/open-rollouts.ts";
import { openRollout, type Rollout } from "../rollout/rollout.ts";
import { ToolContext } from "../rollout/tool-context.ts";
import type { Sequence } from "../tokens/sequence.ts";
import type { EnvConfig } from "./config.ts";
import type { AgentResult, ItemOptions, OpenEnvironment, Score, ToolError } from "./environment.ts";
import type { ChosenServer, ModelServers, ServerUse } from "./model-servers.ts";
import { requestOf, withThinking } from "./request.ts";

/** What all attempts of a run share. */
export interface AttemptDeps<Item> {
  readonly rollouts: Rollouts;
  readonly config: EnvConfig;
  readonly servers: ModelServers;
  readonly environment: OpenEnvironment<Item>;
  readonly runId: string;
  /** For the calls of all rollouts. */
  readonly callSlots: CallSlots;
  /** Where the answers of models are kept, or come from. */
  readonly cassette?: Cassette | undefined;
  /** Hears what happens while it happens. */
  readonly tell?: TellRun | undefined;
  /** Draws the toolsets of groups. */
  random(): number;
  /** The tokens of a conversation whose real ones nobody knows. */
  placeholder(messages: readonly Message[]): Sequence;
}

export interface AttemptOptions<Item> {
  readonly item: Item;
  readonly toolsets: readonly string[] | undefined;
  /** Unique in the run. */
  readonly key: string;
  /** For people; the key when absent. */
  readonly name?: string | undefined;
  /** For training when absent. */
  readonly use?: ServerUse | undefined;
}

/** One scored rollout. */
export interface Attempt {
  readonly taskId: string;
  readonly reward: number;
  readonly details: Readonly<Record<string, unknown>>;
  readonly result: AgentResult | undefined;
  readonly tools: Rollout["tools"];
  readonly sequence: Sequence;
  /** Each model call with its exact tokens; empty where the server does not tell them. */
  readonly calls: readonly TokenCall[];
  /** Prompts that did not go on with the tokens sampled before. */
  readonly breaks: number;
  readonly error: string | undefined;
  readonly seconds: number;
  readonly endedAtMs: number;
}

/** The toolsets of a group: drawn where a distribution is named. */
export function toolsetsFor({
  config,
  random,
  rollouts,
}: Pick<AttemptDeps<unknown>, "config" | "random" | "rollouts">): readonly string[] | undefined {
  if (config.distribution === null) return config.enabled_toolsets ?? undefined;
  return drawToolsets(rollouts.distribution(config.distribution), random);
}

/** Runs the agent on an item in a sandbox of its own and scores what it left. Rejects only when the signal fires. */
export async function attemptItem<Item>(
  options: AttemptOptions<Item>,
  deps: AttemptDeps<Item>,
  signal: AbortSignal,
): Promise<Attempt> {
  const { clock, logger } = deps.rollouts.host.machine;
  const startedMs = clock.now();
  const name = options.name ?? options.key;
  const taskId = `${deps.runId}_${options.key}`;
  deps.tell?.({ event: "item_started", item: name });
  using server = await deps.servers.choose(options.use ?? "training", signal);
  const session = server.managed?.open(deps.config.tool_call_parser);
  const tape = deps.cassette === undefined ? undefined : new Tape(deps.cassette, clock, options);
  const made = await makeAttempt({ ...options, name, taskId, server, session, tape }, deps, signal);
  const { scored, result, tools, error } = made;
  if (error !== undefined) logger.warn("a rollout could not be scored", { task: taskId, error });
  if (session !== undefined && session.breaks > 0)
    logger.warn("a prompt did not go on with the tokens that were sampled before", {
      task: taskId,
      breaks: session.breaks,
    });
  const sequence = session?.sequence() ?? deps.placeholder(result?.messages ?? []);
  const endedAtMs = clock.now();
  const times = tape?.replayed ?? { seconds: (endedAtMs - startedMs) / 1000, endedAtMs };
  const { reward } = scored;
  deps.tell?.({ event: "item_finished", item: name, reward, passed: reward === 1, error: error ?? null });
  const tokens = { calls: session?.calls ?? [], breaks: session?.breaks ?? 0 };
  return { taskId, ...scored, result, tools, sequence, ...tokens, error, ...times };
}

interface MadeAttempt {
  tools: Rollout["tools"];
  result: AgentResult | undefined;
  scored: Score;
  error: string | undefined;
}

interface NamedAttempt<Item> extends AttemptOptions<Item> {
  readonly name: string;
  readonly taskId: string;
  readonly server: ChosenServer;
  readonly session: ReturnType<ManagedModel["open"]> | undefined;
  readonly tape: Tape | undefined;
}

async function makeAttempt<Item>(
  parts: NamedAttempt<Item>,
  deps: AttemptDeps<Item>,
  signal: AbortSignal,
): Promise<MadeAttempt> {
  const { config, environment, rollouts } = deps;
  const { item, tape, session, server, taskId } = parts;
  const { models, tools } = rollouts.host;
  const made: MadeAttempt = { tools: [], result: undefined, scored: { reward: 0, details: {} }, error: undefined };
  let special: ItemOptions;
  try {
    special = (await environment.rollout?.(item, signal)) ?? {};
  } catch (caught) {
    signal.throwIfAborted();
    return { ...made, error: describe(caught) };
  }
  const { timeoutSeconds } = special;
  using limit = deadline(timeoutSeconds === undefined ? Number.POSITIVE_INFINITY : timeoutSeconds * 1000);
  const stop = linkSignals(signal, limit.signal);
  try {
    await using rollout = await openRollout(
      rollouts,
      {
        taskId,
        model: server.model,
        toolsets: parts.toolsets,
        disabledToolsets: config.disabled_toolsets ?? undefined,
        maxSteps: config.max_agent_turns,
        endsSilently: true,
        request: requestOf(config, server.model.target),
        terminal: special.terminal,
        systemPrompt: withThinking(config, special.systemPrompt ?? config.system_prompt ?? ""),
        models: tape?.models(models) ?? server.bounded(session?.models ?? models),
        tools: tape?.tools(tools),
        callSlots: deps.callSlots,
        ...(deps.tell === undefined ? {} : { onEvent: rolloutTeller(parts.name, tellerDeps(deps.tell, rollouts)) }),
      },
      stop,
    );
    made.tools = rollout.tools;
    const context = new ToolContext(rollouts.tools, rollout.scope, stop);
    const known = tape?.score;
    if (known === undefined) await environment.prepare?.(item, context);
    const turn = await rollout.run(environment.prompt(item), stop);
    made.result = agentResult(turn);
    stop.throwIfAborted();
    if (turn.messages.some(({ role }) => role === "assistant")) {
      made.scored = known ?? toScore(await environment.reward(item, made.result, context));
      if (known === undefined) await tape?.keepScore(made.scored);
    } else made.error = turn.error ?? turn.exitReason;
  } catch (caught) {
    signal.throwIfAborted();
    made.error = limit.signal.aborted ? `timeout (${timeoutSeconds}s)` : describe(caught);
  }
  return made;
}

function tellerDeps(tell: TellRun, { host: { machine }, tools }: Rollouts) {
  return { tell, now: () => machine.clock.now(), redact: (text: string) => tools.redact(text) };
}

function toScore(value: number | Score): Score {
  const score = typeof value === "number" ? { reward: value, details: {} } : value;
  if (!Number.isFinite(score.reward)) throw new Error(`the reward is ${score.reward}, not a finite number`);
  return score;
}

function agentResult(turn: TurnResult): AgentResult {
  const replies = turn.messages.filter((message) => message.role === "assistant");
  return {
    messages: turn.messages,
    // Calls that were given back for a reply that could not be used were calls all the same.
    turns_used: Math.max(turn.apiCalls, replies.length),
    finished_naturally: turn.exitReason === "text_response",
    reasoning_per_turn: replies.map(({ reasoning }) => reasoning ?? null),
    tool_errors: toolErrors(turn.messages),
    usage: { prompt_tokens: promptTokens(turn.usage), completion_tokens: turn.usage.output },
    stop_reason: stopReason(turn),
  };
}

function stopReason({ exitReason, interrupted }: TurnResult): AgentResult["stop_reason"] {
  if (exitReason === "text_response") return "final";
  if (interrupted) return "cancelled";
  return exitReason === "max_iterations_reached" ? "max_turns" : "api_error";
}

const shownArguments = 200;

function toolErrors(messages: readonly Message[]): readonly ToolError[] {
  const calls = new Map<string, { readonly name: string; readonly args: string; readonly turn: number }>();
  const errors: ToolError[] = [];
  let turn = 0;
  for (const message of messages) {
    if (message.role === "assistant") {
      turn += 1;
      for (const { id, function: called } of message.tool_calls ?? [])
        calls.set(id, { name: called.name, args: called.arguments, turn });
    }
    if (message.role !== "tool") continue;
    const call = calls.get(message.tool_call_id);
    const error = errorIn(textOf(message.content));
    if (call !== undefined && error !== undefined)
      errors.push({ turn: call.turn, tool_name: call.name, arguments: call.args.slice(0, shownArguments), error });
  }
  return errors;
}

function errorIn(text: string): string | undefined {
  const parsed = parseJson(text);
  if (!parsed.ok || !isRecord(parsed.value)) return undefined;
  const { error } = parsed.value;
  return error === undefined || error === null ? undefined : String(error);
}

import { callsOf, type Message, type TurnResult } from "#conversation";
import { defined } from "#foundation/defined";
import type { Auxiliary } from "#model";
import { Abilities, type Tool } from "#tools";
import type { AgentDeps } from "../agent-deps.ts";
import { remediesFor, type StartingModel } from "../assemble-model.ts";
import type { AgentHost } from "../host.ts";
import type { Turn } from "../turn/turn.ts";
import { type FlushReason, flushMemory } from "./flush.ts";
import { memoryTool, noteTaking } from "./memory-tool.ts";
import type { SessionMemory } from "./open.ts";
import { BackgroundReview, type Lasting, type ReviewedTurn } from "./review.ts";
import { createSideTurns, type SideTurnDeps } from "./side-turn.ts";

/** What happens beside a conversation: reviews after turns, and the last chance to remember. */
export interface SideWork extends AsyncDisposable {
  turnEnded(result: TurnResult, turn: Turn): void;
  flush(reason: FlushReason, history: readonly Message[], signal: AbortSignal): Promise<unknown>;
}

export interface SideWorkOptions {
  readonly host: AgentHost;
  readonly chosen: StartingModel;
  /** Undefined where nothing is remembered. */
  readonly memory: SessionMemory | undefined;
  readonly auxiliary: Auxiliary;
}

export function openSideWork(deps: AgentDeps, { host, chosen, memory, auxiliary }: SideWorkOptions): SideWork {
  const { conversation, scope, clock, logger, tools, observers } = deps;
  const { memory: settings, skills } = host.machine.loaded.config;
  const side = createSideTurns({
    ...deps,
    remedies: (own, context) => remediesFor({ host, scope, chosen }, own, context),
    elsewhere: () => flushModel(auxiliary),
  });
  const earlier = [...conversation.history];
  const review = new BackgroundReview({
    earlierTurns: () => turnsIn(earlier, tools.listing().tools),
    runReview: side.runReview,
    announce: (line) => observers.events.emit({ type: "notice", level: "info", text: line, isAside: true }),
    clock,
    logger,
    intervals: { memoryTurns: settings.nudge_interval, skillSteps: skills.creation_nudge_interval },
  });
  // The history shrinks when it is compressed, so turns are counted here.
  let turnsSinceSaved: number | undefined;
  return {
    turnEnded(result, turn) {
      const listed = tools.listing().tools;
      const steps = stepsIn(turn.ownMessages(), listed);
      if (steps.flat().includes("notes")) turnsSinceSaved = 0;
      else if (turnsSinceSaved !== undefined) turnsSinceSaved += 1;
      const isDelivered = result.text !== undefined && !result.interrupted;
      review.turnEnded({ steps, isDelivered }, result.messages, [...listed.values()]);
    },
    async flush(reason, history, signal) {
      if (memory === undefined || !tools.listing().names.has(memoryTool.name)) return;
      const outcome = await flushMemory(
        { reason, userTurns: conversation.userTurns, history, turnsSinceSaved },
        {
          askOnce: side.askOnce,
          context: {
            agent: new Abilities().with(noteTaking, memory.noteTaking),
            taskId: scope.key,
            sessionId: conversation.sessionId,
            scope,
            enabledTools: tools.listing().names,
            progress: () => undefined,
          },
          clock,
          logger,
          settings: { isMemoryEnabled: settings.memory_enabled, minTurns: settings.flush_min_turns },
        },
        signal,
      );
      if (outcome.kind === "flushed") turnsSinceSaved = 0;
    },
    [Symbol.asyncDispose]: () => review[Symbol.asyncDispose](),
  };
}

/** What each reply changed for good. */
function stepsIn(messages: readonly Message[], tools: ReadonlyMap<string, Tool>): ReviewedTurn["steps"] {
  return messages
    .filter((message) => message.role === "assistant")
    .map((message) => callsOf(message).flatMap((call) => lasting(tools.get(call.function.name))));
}

/** The turns of a stored conversation, as they would have been counted when they ended. */
function turnsIn(history: readonly Message[], tools: ReadonlyMap<string, Tool>): readonly ReviewedTurn[] {
  const starts = history.flatMap((message, at) => (message.role === "user" ? [at] : []));
  return starts.map((start, at) => {
    const messages = history.slice(start, starts[at + 1]);
    const last = messages.at(-1);
    const isDelivered = last?.role === "assistant" && callsOf(last).length === 0;
    return { steps: stepsIn(messages, tools), isDelivered };
  });
}

function lasting(tool: Tool | undefined): readonly Lasting[] {
  return tool?.isLasting === true && tool.serves !== undefined ? [tool.serves] : [];
}

/** The model of the conversation knows the history already; another one is asked only where the settings name it. */
function flushModel(auxiliary: Auxiliary): ReturnType<NonNullable<SideTurnDeps["elsewhere"]>> {
  const planned = auxiliary.planned("flush_memories");
  if (planned === undefined || planned.isMain) return undefined;
  return async ({ system, messages, tools, options }, signal) => {
    const outcome = await auxiliary.run(
      "flush_memories",
      {
        system,
        messages,
        tools,
        ...defined({ maxTokens: options.maxOutputTokens, temperature: options.temperature }),
      },
      signal,
    );
    return outcome.kind === "done" ? outcome.message : undefined;
  };
}

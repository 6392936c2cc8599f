import { callsOf, type Message, type TurnResult } from "#conversation";
import type { Auxiliary } from "#model";
import { Abilities, type Tool } from "#tools";
import type { AgentDeps } from "../agent-deps.ts";
import { remediesFor, type StartingModel } from "../assemble-model.ts";
import type { AgentHost } from "../host.ts";
import type { Turn } from "../turn/turn.ts";
import { type FlushReason, flushMemory } from "./flush.ts";
import { memoryTool, noteTaking } from "./memory-tool.ts";
import type { SessionMemory } from "./open.ts";
import { BackgroundReview, type Lasting } from "./review.ts";
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
  const review = new BackgroundReview({
    runReview: side.runReview,
    announce: (line) => observers.events.emit({ type: "notice", level: "info", text: line }),
    clock,
    logger,
    intervals: { memoryTurns: settings.nudge_interval, skillSteps: skills.creation_nudge_interval },
  });
  return {
    turnEnded(result, turn) {
      const listed = tools.listing().tools;
      const replies = turn.ownMessages().filter((message) => message.role === "assistant");
      const steps = replies.map((message) =>
        callsOf(message).flatMap((call) => lasting(listed.get(call.function.name))),
      );
      const isDelivered = result.text !== undefined && !result.interrupted;
      review.turnEnded({ steps, isDelivered }, result.messages, [...listed.values()]);
    },
    async flush(reason, history, signal) {
      if (memory === undefined || !tools.listing().names.has(memoryTool.name)) return;
      await flushMemory(
        { reason, userTurns: conversation.userTurns, history },
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
    },
    [Symbol.asyncDispose]: () => review[Symbol.asyncDispose](),
  };
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
        ...(options.maxOutputTokens === undefined ? {} : { maxTokens: options.maxOutputTokens }),
        ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
      },
      signal,
    );
    return outcome.kind === "done" ? outcome.message : undefined;
  };
}

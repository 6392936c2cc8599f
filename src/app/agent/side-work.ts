import {
  type AgentDeps,
  BackgroundReview,
  createSideTurns,
  type FlushReason,
  flushMemory,
  type SideTurnDeps,
  type Turn,
} from "#agent";
import { callsOf, type Message, type TurnResult } from "#conversation";
import type { Auxiliary } from "#model";
import type { AgentRequest } from "#session";
import { type AgentParts, agentDeps, remediesFor } from "./agent-parts.ts";
import type { SharedParts } from "./shared-parts.ts";

/** What happens beside a conversation: reviews after turns, and the last chance to remember. */
export interface SideWork extends AsyncDisposable {
  turnEnded(result: TurnResult, turn: Turn): void;
  flush(reason: FlushReason, history: readonly Message[], signal: AbortSignal): Promise<unknown>;
}

export function openSideWork(
  parts: AgentParts,
  spec: AgentRequest,
  { loaded, auxiliary }: Pick<SharedParts, "loaded"> & { readonly auxiliary: Auxiliary },
): SideWork {
  const { conversation, clock, logger, memory, place } = parts;
  const { memory: settings, skills } = loaded.config;
  const deps: AgentDeps = agentDeps(parts);
  const side = createSideTurns({
    ...deps,
    remedies: (own, context) => remediesFor(parts, own, context),
    elsewhere: () => flushModel(auxiliary),
  });
  const review = new BackgroundReview({
    runReview: side.runReview,
    announce: (line) => spec.events.emit({ type: "notice", level: "info", text: line }),
    clock,
    logger,
    intervals: { memoryTurns: settings.nudge_interval, skillSteps: skills.creation_nudge_interval },
  });
  return {
    turnEnded(result, turn) {
      const replies = turn.ownMessages().filter((message) => message.role === "assistant");
      review.turnEnded(
        {
          steps: replies.map((message) => callsOf(message).map((call) => call.function.name)),
          isDelivered: result.text !== undefined && !result.interrupted,
        },
        result.messages,
        parts.listing().names,
      );
    },
    async flush(reason, history, signal) {
      if (memory === undefined || !parts.listing().names.has("memory")) return;
      await flushMemory(
        { reason, userTurns: conversation.userTurns, history },
        {
          askOnce: side.askOnce,
          execute: memory.execute,
          context: {
            taskId: place.sessionKey,
            sessionId: place.sessionId,
            scope: place.scope,
            enabledTools: parts.listing().names,
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

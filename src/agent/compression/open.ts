import type { Message } from "#conversation";
import type { Auxiliary, Models } from "#model";
import type { AgentDeps } from "../agent-deps.ts";
import type { Conversation } from "../conversation.ts";
import type { AgentHost } from "../host.ts";
import type { SessionMemory } from "../memory/open.ts";
import { unrecorded } from "../ports.ts";
import { Compression } from "./compression.ts";
import { Compressor } from "./compressor.ts";
import { selectEngine } from "./engine-choice.ts";
import { recallTool } from "./recall-tool.ts";
import { auxiliarySummariser, type SummaryModel } from "./summarizer.ts";

export interface CompressionOptions {
  readonly host: AgentHost;
  /** Who writes summaries. */
  readonly auxiliary: Auxiliary;
  readonly memory: SessionMemory | undefined;
  /**
   * The session of a child is not cut into parts: everything it said stays stored in one, and nobody goes on with it.
   * Engines of plugins hold the state of one conversation; beside it only the built-in one can be used.
   */
  readonly isChild: boolean;
  /** One chance to remember before messages leave the context. */
  flush(history: readonly Message[], signal: AbortSignal): Promise<unknown>;
}

/** What keeps a conversation within its window, with the engine the configuration names. */
export function openCompression(
  { conversation, clock, logger, scope, tools, prompt, record, observers }: AgentDeps,
  { host, auxiliary, memory, isChild, flush }: CompressionOptions,
): Compression {
  const { config } = host.machine.loaded;
  const { enabled, threshold, target_ratio, protect_last_n } = config.compression;
  const { events } = observers;
  const warn = (text: string): void => events.emit({ type: "notice", level: "warn", text });
  const engine = selectEngine({
    name: isChild ? "" : config.context.engine,
    offered: host.plugins.contextEngines(),
    warn,
    builtin: () =>
      new Compressor({
        settings: { isEnabled: enabled, threshold, targetRatio: target_ratio, protectLastN: protect_last_n },
        clock,
        logger,
        summarise: auxiliarySummariser(auxiliary, () => conversation.target),
        redact: (text) => tools.redact(text),
        keepText: (id, text) => tools.files.keep(id, text),
        todos: () => conversation.todos.items,
        summaryModel: () => summaryModelOf(auxiliary, conversation, host.models),
        tools: () => tools.listing().tools,
        canRecall: () => tools.listing().names.has(recallTool.name),
        warn,
      }),
  });
  return new Compression({
    engine,
    isEnabled: enabled,
    isInChat: scope.chat !== undefined && !isChild,
    clock,
    logger,
    conversation,
    transcript: isChild ? unrecorded(conversation.sessionId) : record.transcript,
    prefill: prompt.prefill ?? [],
    prompt: prompt.source,
    tools: () => tools.listing().definitions,
    emit: isChild
      ? (event) => logger.debug("compression of a child", { event: event.type })
      : (event) => events.emit(event),
    flush,
    insights: async (history, signal) => memory?.manager.beforeCompression(history, signal),
    partEnded: async (history, signal) => memory?.manager.sessionEnded(history, signal),
    forgetReads: (taskId) => host.tools.forgetShown(taskId ?? conversation.rootSessionId),
    onCompression: (done) => host.records.compression(done),
  });
}

/** The window of the model that writes summaries decides how much it can read at once. */
function summaryModelOf(
  auxiliary: Auxiliary,
  { target }: Conversation,
  { catalog }: Pick<Models, "catalog">,
): SummaryModel | undefined {
  const planned = auxiliary.planned("compression");
  if (planned?.model === undefined) return undefined;
  const { provider, model } = planned;
  const isMain = provider === target.provider && model === target.model;
  const contextWindow = isMain
    ? target.limits.contextWindow
    : catalog.catalog.window({ provider, model, baseUrl: "" }).tokens;
  return { model, contextWindow, isMain };
}

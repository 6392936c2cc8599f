import {
  auxiliarySummariser,
  Compression,
  type CompressionRecord,
  Compressor,
  type Conversation,
  type PromptSource,
  type SummaryModel,
  selectEngine,
  type Transcript,
} from "#agent";
import type { Config } from "#config";
import type { AgentEvent, Message } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import type { Auxiliary } from "#model";
import type { Plugins } from "#plugins";
import type { Listing, Toolbox } from "#tools";
import type { AgentParts } from "./agent-parts.ts";
import type { SessionMemory } from "./open-memory.ts";

export interface CompressionParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly conversation: Conversation;
  readonly transcript: Transcript;
  readonly prompt: PromptSource;
  /** Messages in front of every conversation, never stored. */
  readonly prefill: readonly Message[];
  readonly auxiliary: Auxiliary;
  readonly place: AgentParts["place"];
  readonly toolbox: Toolbox;
  readonly plugins: Pick<Plugins, "contextEngines">;
  readonly memory: SessionMemory | undefined;
  /** Engines of plugins hold the state of one conversation; beside it only the built-in one can be used. */
  readonly isBeside?: boolean;
  /** The model summaries would be written by, as far as it is known. */
  summaryModel(): SummaryModel | undefined;
  listing(): Listing;
  emit(event: AgentEvent): void;
  flush(history: readonly Message[], signal: AbortSignal): Promise<unknown>;
  record(record: CompressionRecord): Promise<void>;
}

/** What keeps a conversation within its window, with the engine the configuration names. */
export function openCompression(parts: CompressionParts): Compression {
  const { config, clock, logger, conversation, auxiliary, toolbox, memory } = parts;
  const { sessionKey, scope } = parts.place;
  const warn = (text: string): void => parts.emit({ type: "notice", level: "warn", text });
  const { enabled, threshold, target_ratio, protect_last_n } = config.compression;
  const engine = selectEngine({
    name: parts.isBeside === true ? "" : config.context.engine,
    offered: parts.plugins.contextEngines,
    warn,
    builtin: () =>
      new Compressor({
        settings: { isEnabled: enabled, threshold, targetRatio: target_ratio, protectLastN: protect_last_n },
        clock,
        logger,
        summarise: auxiliarySummariser(auxiliary, () => conversation.target),
        redact: (text) => toolbox.redact(text),
        todos: () => conversation.todos.items,
        summaryModel: () => parts.summaryModel(),
        canRecall: () => parts.listing().names.has("context_recall"),
        keepText: (id, text) => toolbox.files({ taskId: sessionKey, scope }).keep(id, text),
        warn,
      }),
  });
  return new Compression({
    engine,
    isEnabled: enabled,
    clock,
    logger,
    conversation,
    transcript: parts.transcript,
    prefill: parts.prefill,
    prompt: parts.prompt,
    tools: () => parts.listing().definitions,
    emit: (event) => parts.emit(event),
    flush: (history, signal) => parts.flush(history, signal),
    insights: async (history, signal) => memory?.manager.beforeCompression(history, signal),
    partEnded: async (history, signal) => memory?.manager.sessionEnded(history, signal),
    forgetReads: (taskId) => toolbox.forgetShown(taskId ?? conversation.rootSessionId),
    onCompression: (record) => parts.record(record),
  });
}

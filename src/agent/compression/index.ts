/** Keeping a conversation within its window: the engine that makes it smaller, and all that surrounds it. */
export { auxiliarySummariser } from "./auxiliary-summariser.ts";
export { Compression, type CompressionDeps } from "./compression.ts";
export { Compressor, type CompressorDeps, compressorName } from "./compressor.ts";
export type {
  CompressContext,
  CompressFacts,
  CompressOutcome,
  ContextEngine,
  EngineModel,
  EngineSession,
  EngineStatus,
  SummaryStatus,
} from "./engine.ts";
export { engineModel } from "./engine.ts";
export { engineTools } from "./engine-tools.ts";
export { createContextKeeper } from "./keeper.ts";
export { type OpenTask, openTasksIn } from "./open-tasks.ts";
export type { CompressionResult } from "./orchestration.ts";
export { createRecallExecute, type ReadMessages, recallTool, recallToolName, spanOf } from "./recall-tool.ts";
export type { CompressionRecord, CompressionTrigger } from "./record.ts";
export { isContextEngine, selectEngine } from "./select-engine.ts";
export type { Summarise, SummaryAnswer, SummaryModel, SummaryRequest } from "./summarize.ts";
export { type CompressionSettings, defaultCompressionSettings } from "./thresholds.ts";

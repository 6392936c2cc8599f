/** Keeping a conversation within its window: the engine that makes it smaller, and all that surrounds it. */
export { Compression, createContextKeeper } from "./compression.ts";
export type { CompressionRecord } from "./compression-run.ts";
export { Compressor } from "./compressor.ts";
export type { ContextEngine } from "./engine.ts";
export { selectEngine } from "./engine-choice.ts";
export { createRecallExecute, type ReadMessages, recallTool, spanOf } from "./recall-tool.ts";
export { auxiliarySummariser, type SummaryModel } from "./summarizer.ts";

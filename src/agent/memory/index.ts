/** Memory: notes in two files, an optional provider beside them, and what keeps both up to date. */
export { type BundledProvider, bundledProviders } from "./bundled-providers.ts";
export type { Decision, NoteAction, NoteChange } from "./change.ts";
export {
  activeProviderCommands,
  type CliSources,
  type ProviderCommand,
  type ProviderCommands,
  type ProviderSubcommand,
  type RegisterCli,
} from "./cli-extension.ts";
export {
  type Answers,
  type AppliedAnswers,
  applyAnswers,
  type ConfigField,
  type ConfigSchema,
  missingVariables,
  type Question,
  questionsFor,
  readConfigSchema,
  type SetupKind,
  setupKind,
} from "./config-schema.ts";
export { type MemoryTarget, memoryTargets, previewOf, sizeOf } from "./entries.ts";
export {
  type FlushDeps,
  type FlushFacts,
  type FlushOutcome,
  type FlushReason,
  type FlushRequest,
  type FlushSettings,
  flushMemory,
  planFlush,
} from "./flush.ts";
export { type ActivationFacts, MemoryManager, type MemoryManagerDeps } from "./manager.ts";
export { createMemoryExecute, type MemoryToolDeps, memoryTool } from "./memory-tool.ts";
export {
  type CallOutcome,
  type Confirmed,
  type MemoryWrite,
  MemoryWrites,
  type MemoryWritesDeps,
  type WriteMetadata,
  type WriteOutcome,
  type WriteWish,
} from "./memory-writes.ts";
export { defaultNotesSettings, Notes, type NotesOptions, type NotesSettings } from "./notes.ts";
export {
  type AgentContext,
  isMemoryProvider,
  type MemoryProvider,
  type ProviderCall,
  type ProviderContext,
} from "./provider.ts";
export { type PendingCall, type PendingNote, type PendingWrite, pendingText, Quarantine } from "./quarantine.ts";
export {
  BackgroundReview,
  countTurn,
  freshCounters,
  type ReviewCounters,
  type ReviewDeps,
  type ReviewedTurn,
  type ReviewIntervals,
  type ReviewJob,
  readCounters,
} from "./review.ts";
export { endSession, type SessionEnd } from "./session-end.ts";
export { type MemorySnapshot, takeSnapshot, type WithheldEntry } from "./snapshot.ts";

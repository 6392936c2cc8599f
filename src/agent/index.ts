/** Thinking: the loop, recovery, prompt, compression, memory, delegation and trajectories. */

export { Agent, type ContinueInput, type ConversationInput } from "./agent.ts";
export { type AgentDeps, type AgentSettings, type AgentTools, defaultAgentSettings } from "./agent-deps.ts";
export { openSideCalls, type SideCallDeps, type SideCaller, toolSideCalls } from "./auxiliary/side-calls.ts";
export { type BudgetedMoneyDeps, budgetedMoney } from "./budgeted-money.ts";
export { type CallMoney, type CountedCall, callModel } from "./call-model.ts";
export { Compression, createContextKeeper } from "./compression/compression.ts";
export type { CompressionRecord } from "./compression/compression-run.ts";
export { Compressor } from "./compression/compressor.ts";
export type { ContextEngine } from "./compression/engine.ts";
export { selectEngine } from "./compression/engine-choice.ts";
export { createRecallExecute, type ReadMessages, recallTool, spanOf } from "./compression/recall-tool.ts";
export { auxiliarySummariser, type SummaryModel } from "./compression/summarizer.ts";
export { type ContextKeeper, type ContextKeeperDeps, keepEverything } from "./context-keeper.ts";
export { Conversation, type ConversationInit } from "./conversation.ts";
export { childApprover } from "./delegation/child-approver.ts";
export type { ChildCall, ChildIdentity, ChildParent, ChildSpec, OpenChild } from "./delegation/child-spec.ts";
export { ChildTable } from "./delegation/child-table.ts";
export { createDelegation } from "./delegation/delegate.ts";
export { createDelegateTool } from "./delegation/delegate-tool.ts";
export { boundedSettings, type DelegationSettings } from "./delegation/settings.ts";
export type { ExplainFailure } from "./exit.ts";
export type { ImageHelp } from "./image-views.ts";
export { type LoopDeps, runTurn } from "./loop.ts";
export { bundledProviders } from "./memory/bundled-providers.ts";
export { activeProviderCommands } from "./memory/cli-extension.ts";
export {
  type Answers,
  applyAnswers,
  type ConfigSchema,
  missingVariables,
  questionsFor,
  readConfigSchema,
  setupKind,
} from "./memory/config-schema.ts";
export { type MemoryTarget, memoryTargets, previewOf, sizeOf } from "./memory/entries.ts";
export { type FlushReason, flushMemory } from "./memory/flush.ts";
export { MemoryManager } from "./memory/manager.ts";
export { createMemoryExecute, memoryTool } from "./memory/memory-tool.ts";
export { type Confirmed, MemoryWrites } from "./memory/memory-writes.ts";
export { Notes } from "./memory/notes.ts";
export { isMemoryProvider, type MemoryProvider } from "./memory/provider.ts";
export { type PendingWrite, pendingText, Quarantine } from "./memory/quarantine.ts";
export { BackgroundReview } from "./memory/review.ts";
export { type MemorySnapshot, takeSnapshot } from "./memory/snapshot.ts";
export { freeOfCharge } from "./money.ts";
export type { TurnOutcome } from "./outcome.ts";
export { type PromptSource, type Transcript, type TurnHooks, type TurnMemory, unrecorded } from "./ports.ts";
export { describeProblem, type Problem } from "./problem.ts";
export { loadContextFiles } from "./prompt/context-files.ts";
export type { PromptInputs } from "./prompt/inputs.ts";
export { defaultIdentity } from "./prompt/layer-texts.ts";
export { NestedHints } from "./prompt/nested-hints.ts";
export { describeBreak, PrefixWatch } from "./prompt/prefix-watch.ts";
export { startDirectory } from "./prompt/project-root.ts";
export { createPromptSource } from "./prompt/prompt-source.ts";
export { expandReferences, type ReferenceDeps } from "./prompt/references.ts";
export { ensureSoul, loadSoul } from "./prompt/soul.ts";
export { localFiles as localWorkspace } from "./prompt/workspace-files.ts";
export { type Remedy, type RemedyContext, recover } from "./recovery/remedy.ts";
export { type RemedyDeps, standardRemedies } from "./recovery/standard.ts";
export type { RequestSettings } from "./request.ts";
export { createSideTurns, type SideTurnDeps, type SideTurns } from "./side-turn.ts";
export { scanThreats } from "./threat-scan.ts";
export { isCompleted, savesTrajectories, trajectoryEntry } from "./trajectory/entry.ts";
export { toShareGpt } from "./trajectory/sharegpt.ts";
export { TrajectoryWriter } from "./trajectory/writer.ts";
export { Turn } from "./turn.ts";
export { type UnfinishedTurn, unfinishedTurn } from "./unfinished-turn.ts";

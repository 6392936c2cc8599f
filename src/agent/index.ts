/** Thinking: the loop, recovery, prompt, compression, memory, delegation and trajectories; `assembleAgent` builds an agent. */

export { Agent } from "./agent.ts";
export type { AgentSettings } from "./agent-deps.ts";
export { type AssembledAgent, assembleAgent } from "./assemble.ts";
export type { StartingModel } from "./assemble-model.ts";
export { askModel } from "./auxiliary/ask-model.ts";
export { openSideCalls, toolSideCalls } from "./auxiliary/side-calls.ts";
export type { ContextEngine } from "./compression/engine.ts";
export { recallTool, spanOf } from "./compression/recall-tool.ts";
export { Conversation } from "./conversation.ts";
export { readNamedAgents } from "./delegation/agent-files.ts";
export { childApprover } from "./delegation/child-approver.ts";
export { ChildTable } from "./delegation/child-table.ts";
export { createDelegateTool } from "./delegation/delegate-tool.ts";
export { childApprovals, delegationSettings } from "./delegation/open.ts";
export type { AgentHost, AgentPlugins, AgentRecords } from "./host.ts";
export { LiveSettings, readEffort } from "./live-settings.ts";
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
export type { FlushReason } from "./memory/flush.ts";
export { memoryTool } from "./memory/memory-tool.ts";
export { type Confirmed, MemoryWrites } from "./memory/memory-writes.ts";
export { Notes } from "./memory/notes.ts";
export { isMemoryProvider, type MemoryProvider, type ProviderHost } from "./memory/provider.ts";
export { type PendingWrite, pendingText, Quarantine } from "./memory/quarantine.ts";
export { type RequestFacts, type Transcript, type TurnHooks, unrecorded } from "./ports.ts";
export { defaultIdentity } from "./prompt/layer-texts.ts";
export { readPrefill } from "./prompt/prefill.ts";
export { expandReferences, type ReferenceDeps } from "./prompt/references/references.ts";
export { ensureSoul } from "./prompt/soul.ts";
export { localFiles as localWorkspace } from "./prompt/workspace-files.ts";
export { scanThreats } from "./threat-scan.ts";
export { type BatchEntry, batchEntry, type ToolStats } from "./trajectory/batch-entry.ts";
export { embedJson } from "./trajectory/embedded-json.ts";
export { isCompleted, localTimestamp, savesTrajectories } from "./trajectory/entry.ts";
export { fromShareGpt } from "./trajectory/from-sharegpt.ts";
export { isShareGptTurn, trajectoryProblems, trajectoryStats } from "./trajectory/inspect.ts";
export { loadTrajectories } from "./trajectory/read.ts";
export { type ShareGptTurn, type TrajectoryMessage, toShareGpt } from "./trajectory/sharegpt.ts";
export { isBlank, trimBoth } from "./trajectory/white-space.ts";
export { TrajectoryWriter } from "./trajectory/writer.ts";
export type { RequestSettings } from "./turn/request/request.ts";
export { unfinishedTurn } from "./unfinished-turn.ts";

/** Doing: the registry of tools, what runs their calls, terminals, files and approval. */

export { type AuditEntry, auditFile } from "./approval/audit.ts";
export { type DetectPlace, detect } from "./approval/detect.ts";
export {
  type CommandScanner,
  combineScanners,
  type ExternalScannerOptions,
  externalScanner,
} from "./approval/external-scanner.ts";
export { createGate, type GateDeps } from "./approval/gate.ts";
export { type AllowEntry, type GrantStore, Grants } from "./approval/grants.ts";
export { readMode, YoloSwitch } from "./approval/modes.ts";
export { createPathGuard, type PathRules } from "./approval/paths.ts";
export { ApprovalQueue } from "./approval/queue.ts";
export {
  type ApprovalGate,
  type ApprovalRequest,
  type Approver,
  denyAll,
  type Finding,
  type GateContext,
  type GateVerdict,
} from "./approval/request.ts";
export { scanCommand } from "./approval/scanner.ts";
export { type AuditDetail, type AuditedTurn, type ToolAudit, toolAudit } from "./approval/tool-audit.ts";
export { browserAvailability } from "./browser/availability.ts";
export { PageGuard } from "./browser/guard.ts";
export type { OpenDeps as BrowserOpenDeps } from "./browser/open.ts";
export { type BrowserOptions, defaultBrowserOptions } from "./browser/options.ts";
export { chooseProvider } from "./browser/providers/choose.ts";
export { BrowserSessions } from "./browser/sessions.ts";
export { createBrowserShrink } from "./browser/shrink.ts";
export type { BuiltinDeps } from "./builtin/builtin-deps.ts";
export { type AskUser, clarifyTool, clarifyWith } from "./builtin/clarify.tool.ts";
export {
  createExecuteCodeTool,
  defaultScriptOptions,
  type ExecuteCodeDeps,
  type ScriptOptions,
} from "./builtin/execute-code.tool.ts";
export { createHomeAssistantTools } from "./builtin/home-assistant.tool.ts";
export { createImageGenerateTool } from "./builtin/image-generate.tool.ts";
export { createBuiltinTools } from "./builtin/index.ts";
export {
  createMixtureOfAgentsTool,
  type MixtureAnswer,
  type MixtureDeps,
  type MixtureRequest,
} from "./builtin/mixture-of-agents.tool.ts";
export { createPatchTool } from "./builtin/patch.tool.ts";
export { createProcessTool } from "./builtin/process.tool.ts";
export { createReadFileTool } from "./builtin/read-file.tool.ts";
export { createSearchFilesTool } from "./builtin/search-files.tool.ts";
export { createTerminalTool, defaultTerminalOptions } from "./builtin/terminal.tool.ts";
export { createTextToSpeechTool } from "./builtin/text-to-speech.tool.ts";
export { type TodoItem, TodoList, type TodoStatus, todoTool } from "./builtin/todo.tool.ts";
export { createVisionAnalyzeTool } from "./builtin/vision-analyze.tool.ts";
export { createWebExtractTool } from "./builtin/web-extract.tool.ts";
export { createWebSearchTool } from "./builtin/web-search.tool.ts";
export { createWriteFileTool } from "./builtin/write-file.tool.ts";
export { agentLevelTool } from "./call/agent-level.ts";
export {
  type Auxiliary,
  type AuxiliaryAnswer,
  type AuxiliaryRequest,
  type AuxiliaryTask,
  noAuxiliary,
} from "./call/auxiliary.ts";
export type { CallObserver, CallOutcome } from "./call/call-state.ts";
export { combineObservers } from "./call/combine-observers.ts";
export type { ToolContext } from "./call/context.ts";
export { repairToolName } from "./call/name-repair.ts";
export { type CallPlace, OpenSessions, type ToolSession } from "./call/open-sessions.ts";
export { boundResults, type OutputLimits, type ResultFiles } from "./call/output-limit.ts";
export { failed, result, type ToolDetails, ToolFailure, type ToolResult } from "./call/result.ts";
export type {
  DeliveredWords,
  PersonAnswer,
  Prompter,
  SecretAnswer,
  SecretRequest,
  SessionScope,
  Spender,
  TerminalChoice,
  ToolTask,
} from "./call/session-scope.ts";
export { noExtensions, type ObservedTurn, type ToolExtensions } from "./call/tool-extensions.ts";
export { Toolbelt, type ToolbeltDeps } from "./call/toolbelt.ts";
export { nobody, unattendedScope } from "./call/unattended-scope.ts";
export { Walls } from "./confinement/walls.ts";
export { isBinaryPath, looksBinary } from "./files/binary.ts";
export { type Replaced, type ReplaceWish, replaceText } from "./files/edit/replace.ts";
export { defaultFileOptions, type FileDeps, type FileOptions } from "./files/file-access.ts";
export { FileLedger } from "./files/ledger.ts";
export { createLint } from "./files/lint.ts";
export { MaskMemory } from "./files/mask-memory.ts";
export type { PathGuard } from "./files/path-guard.ts";
export { ReadHistory } from "./files/read-history.ts";
export { chooseEngine } from "./files/search/choose.ts";
export { sessionFolder } from "./files/snapshots/change-cover.ts";
export { workspaceSnapshots } from "./files/snapshots/open-snapshots.ts";
export type { Snapshot, UndoReport, WorkspaceSnapshots } from "./files/snapshots/workspace-snapshots.ts";
export * from "./mcp/index.ts";
export { fal } from "./media/fal.ts";
export type { GeneratedImage, ImageProvider } from "./media/image-provider.ts";
export { opusWith } from "./media/speech/opus.ts";
export type { SpeechSettings } from "./media/speech/provider.ts";
export { KnownRegistries } from "./network/registries.ts";
export { createSafeFetch, type SafeFetch, type SafeFetched } from "./network/safe-fetch.ts";
export { readSiteList, type SiteRule } from "./network/sites.ts";
export { checkUrl, hasSecretInUrl, systemResolve, type UrlRules } from "./network/urls.ts";
export { openTools } from "./open.ts";
export { AvailabilityProbes } from "./registry/availability.ts";
export { distributions, drawToolsets } from "./registry/distributions.ts";
export { extendListing, type Listing, type ListingSource, type ListingWish, listTools } from "./registry/listing.ts";
export { type RegistrySnapshot, ToolRegistry } from "./registry/registry.ts";
export { sanitizeParameters } from "./registry/schema-sanitize.ts";
export { SurfaceTools } from "./registry/surface-tools.ts";
export {
  defaultPreset,
  listedToolsets,
  pluginToolsets,
  type SurfaceWish,
  surfaceToolsets,
} from "./registry/surface-toolsets.ts";
export type { Availability, Concurrency, Tool, ToolOrigin } from "./registry/tool.ts";
export { absentTools, configurableToolsets, leafToolsets, restrictedToolsets } from "./registry/toolset-catalogue.ts";
export { type CustomToolsets, Toolsets } from "./registry/toolsets.ts";
export { sudoFromInput } from "./terminals/command/sudo.ts";
export { SudoPasswords } from "./terminals/command/sudo-password.ts";
export { childEnvironment, isBlockedVariable } from "./terminals/environment-variables.ts";
export { Guardian } from "./terminals/guardian.ts";
export { LeaseTable } from "./terminals/lease.ts";
export {
  localOpener,
  readTerminalKind,
  subprocessHome,
  type TerminalOpener,
  type TerminalOpeners,
  terminalAvailability,
} from "./terminals/open-terminal.ts";
export { blockedVariables } from "./terminals/open-terminals.ts";
export type { ProcessEvent, ProcessRoute } from "./terminals/processes/process-event.ts";
export { ProcessTable } from "./terminals/processes/process-table.ts";
export { SessionVariables } from "./terminals/session-variables.ts";
export type {
  ExecOptions,
  ExecResult,
  Terminal,
  TerminalFiles,
  TerminalKind,
  TerminalLeases,
  TerminalProcess,
} from "./terminals/terminal.ts";
export type { PersonRun, Toolbox } from "./toolbox.ts";
export type { ToolsOptions } from "./tools-base.ts";
export { chooseWeb, type WebOptions } from "./web/choose.ts";
export { createManagedGateway, type GatewayDeps, type ManagedGateway } from "./web/managed-gateway.ts";
export { readPageWith } from "./web/page-text-reader.ts";
export { PageThread } from "./web/reader/page-thread.ts";
export { fenceUntrusted } from "./web/untrusted.ts";

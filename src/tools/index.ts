/** Doing: the registry of tools, what runs their calls, terminals, files and approval. */
export { askAboutLasting } from "./approval/lasting-write.ts";
export type { ListedRule } from "./approval/permissions/permissions.ts";
export type { PermissionEffect } from "./approval/permissions/rule.ts";
export { type AskUser, askingUser } from "./builtin/clarify.tool.ts";
export { TodoList, taskList } from "./builtin/todo.tool.ts";
export { repairToolName } from "./call/name-repair.ts";
export { type CallLocation, OpenSessions } from "./call/open-sessions.ts";
export { shownResult } from "./call/shown-result.ts";
export { Toolbelt } from "./call/toolbelt.ts";
export type { SessionWall } from "./confinement/wall.ts";
export { Abilities, defineAbility } from "./contract/ability.ts";
export type { ApprovalRequest, Approver } from "./contract/approval-request.ts";
export type { Auxiliary, SampleReply, SampleRequest } from "./contract/auxiliary.ts";
export type { CallObserver, CallOutcome } from "./contract/call-state.ts";
export type { ToolContext } from "./contract/context.ts";
export { defineTool, runChecked } from "./contract/define-tool.ts";
export type { GeneratedImage, ImageProvider } from "./contract/image-provider.ts";
export { type McpServerSettings, readServerSettings } from "./contract/mcp-settings.ts";
export { boundResults, type OutputLimits, type ResultFiles } from "./contract/output-limit.ts";
export { result, ToolFailure, type ToolResult } from "./contract/result.ts";
export type {
  CallSlots,
  DeliveredWords,
  Prompter,
  SessionChat,
  SessionScope,
  TerminalChoice,
} from "./contract/session-scope.ts";
export type { Terminal, TerminalOpener } from "./contract/terminal.ts";
export { mayRepeat, type Tool } from "./contract/tool.ts";
export type { ToolExtensions } from "./contract/tool-extensions.ts";
export type { ArgumentsOf } from "./contract/typed-arguments.ts";
export { isBinaryPath, looksBinary } from "./files/binary.ts";
export { replaceText } from "./files/edit/replace.ts";
export { sessionFolder } from "./files/snapshots/change-cover.ts";
export type { Snapshot, UndoReport, WorkspaceSnapshots } from "./files/snapshots/workspace-snapshots.ts";
export { openServerLog } from "./mcp/connection/server-log.ts";
export type { McpDeps } from "./mcp/deps.ts";
export { McpOAuth } from "./mcp/oauth/oauth.ts";
export { TokenStore } from "./mcp/oauth/token-store.ts";
export { attachmentFolder } from "./mcp/offered/attachments.ts";
export { readPinnedTools } from "./mcp/offered/pins.ts";
export { createPackageCheck } from "./mcp/package-check.ts";
export { probeServer } from "./mcp/probe.ts";
export type { SpokenWords, WordsToSay } from "./media/speech/say-aloud.ts";
export { addressKind } from "./network/addresses.ts";
export { createSafeFetch, type SafeFetch } from "./network/safe-fetch.ts";
export { checkUrl, systemResolve } from "./network/urls.ts";
export { workspaceSnapshots } from "./open/open-snapshots.ts";
export { blockedVariables } from "./open/open-terminals.ts";
export { openTools } from "./open/open-tools.ts";
export type { WallDoor } from "./open/self-test/wall-doors.ts";
export type { Toolbox } from "./open/toolbox.ts";
export { distributions, drawToolsets, findDistribution } from "./registry/distributions.ts";
export { extendListing, type Listing } from "./registry/listing.ts";
export { ToolRegistry } from "./registry/registry.ts";
export { sanitizeParameters } from "./registry/schema-sanitize.ts";
export { SurfaceTools } from "./registry/surface-tools.ts";
export { listedToolsets, surfaceToolsets } from "./registry/surface-toolsets.ts";
export { absentTools, configurableToolsets, restrictedToolsets } from "./registry/toolset-catalogue.ts";
export { Toolsets } from "./registry/toolsets.ts";
export { findDocker } from "./terminals/docker/docker-program.ts";
export { removeLeftContainers } from "./terminals/docker/left-containers.ts";
export { childEnvironment } from "./terminals/environment-variables.ts";
export { SessionVariables } from "./terminals/session-variables.ts";
export { reachTerminal, terminalFacts } from "./terminals/terminal-facts.ts";
export { createManagedGateway } from "./web/managed-gateway.ts";
export { readPageWith } from "./web/page-text-reader.ts";
export { fenceUntrusted } from "./web/untrusted.ts";

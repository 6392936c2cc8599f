import { memoryLogger } from "#foundation/testing/memory-logger";
import { systemClock } from "#foundation/time/clock";
import { clarifyTool } from "./builtin/clarify.tool.ts";
import { createPatchTool } from "./builtin/patch.tool.ts";
import { createReadFileTool } from "./builtin/read-file.tool.ts";
import { createSearchFilesTool, type SearchDeps } from "./builtin/search-files.tool.ts";
import { createTerminalTool } from "./builtin/terminal.tool.ts";
import { todoTool } from "./builtin/todo.tool.ts";
import { createWebExtractTool, type WebExtractDeps } from "./builtin/web-extract.tool.ts";
import { createWebSearchTool } from "./builtin/web-search.tool.ts";
import { createWriteFileTool } from "./builtin/write-file.tool.ts";
import { WebExits } from "./confinement/web-exits.ts";
import { noAbilities } from "./contract/ability.ts";
import type { ToolContext } from "./contract/context.ts";
import { runChecked } from "./contract/define-tool.ts";
import { result } from "./contract/result.ts";
import type { SessionScope } from "./contract/session-scope.ts";
import type { Terminal, TerminalLeases } from "./contract/terminal.ts";
import type { Tool } from "./contract/tool.ts";
import { unattendedScope } from "./contract/unattended-scope.ts";
import type { FileDeps, FileOptions } from "./files/file-access.ts";
import { type HostDecisionOptions, HostDecisions } from "./network/session-network.ts";
import { AvailabilityProbes } from "./registry/availability.ts";
import { type Listing, type ListingOptions, listTools } from "./registry/listing.ts";
import { ToolRegistry } from "./registry/registry.ts";
import { Toolsets } from "./registry/toolsets.ts";
import type { TerminalDeps } from "./terminals/command/call-options.ts";
import { localFiles } from "./terminals/local-files.ts";
import type { WebOptions } from "./web/choose.ts";

export { noAbilities } from "./contract/ability.ts";
/** Builders for tests of tools. */
export { readCommandLine } from "./shell/read-line.ts";
export { todoTool };
export function fakeTool(name: string, changes: Partial<Tool> = {}): Tool {
  return {
    name,
    toolset: "test",
    description: `The tool ${name}`,
    parameters: { type: "object", properties: {} },
    execute: () => Promise.resolve(result({ ok: name })),
    ...changes,
  };
}

export function registryOf(...tools: readonly Tool[]) {
  const logger = memoryLogger();
  const registry = new ToolRegistry(logger);
  for (const tool of tools) registry.register(tool);
  return { registry, logger };
}

export function listingOf(registry: ToolRegistry, wanted: ListingOptions = {}, scope = testScope()): Promise<Listing> {
  const snapshot = registry.snapshot();
  const source = { scope, snapshot, toolsets: new Toolsets(snapshot), probes: new AvailabilityProbes(systemClock) };
  return listTools(source, wanted, new AbortController().signal);
}

export function toolContext(changes: Partial<ToolContext> = {}): ToolContext {
  return {
    callId: "call_1",
    taskId: "default",
    sessionId: "session",
    scope: testScope(),
    enabledTools: new Set(),
    agent: noAbilities,
    signal: new AbortController().signal,
    progress: () => undefined,
    ...changes,
  };
}

/** Runs a call with its arguments checked, as the toolbelt does. */
export function runTool(tool: Tool, args: Readonly<Record<string, unknown>>, context = toolContext()) {
  return runChecked(tool, args, context);
}

/** The scope of a session of nobody's, at the terminal; what a test is about is given. */
export function testScope(changes: Partial<SessionScope> = {}): SessionScope {
  return unattendedScope({ key: "cli", source: "cli", cwd: "/", ...changes });
}

/** A terminal over a real folder whose commands cannot run: for tests of file tools. */
export function folderTerminal(folder: string, taskId = "default"): Terminal {
  const unsupported = (): never => {
    throw new Error("this terminal runs no commands");
  };
  return {
    kind: "local",
    taskId,
    isPersistent: false,
    cwd: folder,
    home: folder,
    tempDir: folder,
    files: localFiles,
    exec: unsupported,
    spawn: unsupported,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

export function leasesOf(terminal: Terminal): TerminalLeases {
  return {
    take: () => Promise.resolve(terminal),
    peek: () => terminal,
    release: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** What only tests of other subsystems build themselves. */
export type { AuditEntry } from "./approval/audit.ts";
export { createGate } from "./approval/gate.ts";
export { type GrantStore, Grants } from "./approval/grants.ts";
export { YoloSwitch } from "./approval/modes.ts";
export type { AuxiliaryRequest } from "./contract/auxiliary.ts";
export { noAuxiliary, nobody, unattendedScope } from "./contract/unattended-scope.ts";
export { AvailabilityProbes } from "./registry/availability.ts";
export { listTools } from "./registry/listing.ts";
export { leafToolsets } from "./registry/toolset-catalogue.ts";
export { type ToolStage, toolStage } from "./testing/tool-stage.ts";
export { clarifyTool };

export const defaultFileOptions: FileOptions = {
  maxReadChars: 100_000,
  maxLines: 2_000,
  maxLineLength: 2_000,
  staleWrite: "block",
};

export { detect } from "./approval/detector/detect.ts";
export { stillAsked } from "./approval/held/still-asked.ts";
export { createExecuteCodeTool, defaultScriptOptions } from "./builtin/execute-code.tool.ts";
export { ScriptStarts } from "./code/script-starts.ts";
export type {
  ExecOptions,
  ExecResult,
  Terminal,
  TerminalFiles,
  TerminalLeases,
  TerminalProcess,
} from "./contract/terminal.ts";
export { FileLedger } from "./files/ledger.ts";
export { ReadHistory } from "./files/read-history.ts";
export { LeaseTable } from "./terminals/lease.ts";
export { openLocalTerminal } from "./terminals/local/local-terminal.ts";
export { remoteOpeners } from "./terminals/open-backends.ts";
export { ProcessTable } from "./terminals/processes/process-table.ts";
export type { BackendDeps } from "./terminals/remote/backend.ts";
export { TerminalGone } from "./terminals/terminal-gone.ts";
export { allowingGate, noWall } from "./terminals/testing.ts";
export { createReadFileTool, createSearchFilesTool, createTerminalTool, createWriteFileTool };

/** What the tools a session usually has say about themselves; they cannot be run. */
export const speakingTools: ReadonlyMap<string, Tool> = new Map(
  [
    createTerminalTool({
      options: { kind: "local", home: "/", defaultTimeoutMs: 1_000, maxForegroundMs: 1_000, maxOutputChars: 1_000 },
    } as TerminalDeps),
    createReadFileTool({ options: defaultFileOptions } as FileDeps),
    createWriteFileTool({} as FileDeps),
    createPatchTool({} as FileDeps),
    createSearchFilesTool({} as SearchDeps),
    createWebSearchTool({ exits: testExits(), web: {} as WebOptions }),
    createWebExtractTool({ web: {} as WebOptions } as WebExtractDeps),
    todoTool,
    clarifyTool,
  ].map((tool) => [tool.name, tool]),
);

/** Ways out by the real rules for hosts; `open` unless told otherwise. */
export function testExits(
  changes: Partial<HostDecisionOptions> = {},
  { hasSeenPrivate = () => false, secrets = [] }: { hasSeenPrivate?: () => boolean; secrets?: readonly string[] } = {},
): WebExits {
  const hosts = new HostDecisions({
    rules: { mode: "open", allow: [], deny: [] },
    ask: () => Promise.resolve("nobody"),
    remember: () => Promise.resolve(),
    isRegistry: () => Promise.resolve(false),
    hasSeenSecrets: () => false,
    ...changes,
  });
  const wall = {
    hosts,
    get hasSeenPrivate() {
      return hasSeenPrivate();
    },
  };
  return new WebExits({
    walls: { of: () => Promise.resolve(wall), standing: () => Promise.resolve(wall) },
    redactKnown: (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, "***"), text),
  });
}

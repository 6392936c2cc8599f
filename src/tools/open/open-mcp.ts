import { type Config, loadConfig, revealed } from "#config";
import type { Logger } from "#foundation/files/logger";
import { never, raceAbort } from "#foundation/lifecycle/abort";
import type { Walls } from "../confinement/walls.ts";
import type { ApprovalGate } from "../contract/approval-request.ts";
import { type McpServerSettings, readServerSettings } from "../contract/mcp-settings.ts";
import type { SessionScope } from "../contract/session-scope.ts";
import type { Tool } from "../contract/tool.ts";
import type { ChangeCover } from "../files/snapshots/change-cover.ts";
import { openServerLog } from "../mcp/connection/server-log.ts";
import { McpOAuth } from "../mcp/oauth/oauth.ts";
import { TokenStore } from "../mcp/oauth/token-store.ts";
import { attachmentFolder } from "../mcp/offered/attachments.ts";
import { PinStore } from "../mcp/offered/pins.ts";
import { createPackageCheck } from "../mcp/package-check.ts";
import type { McpServerStatus } from "../mcp/server.ts";
import { McpServers } from "../mcp/servers.ts";
import { ToolRegistry } from "../registry/registry.ts";
import type { Guardian } from "../terminals/guardian.ts";
import type { Toolbox } from "./toolbox.ts";
import type { ToolsBase } from "./tools-base.ts";

export interface McpOptions {
  readonly registry: ToolRegistry;
  readonly gate: ApprovalGate;
  readonly guardian: Guardian;
  readonly walls: Walls;
  readonly cover: Pick<ChangeCover, "beforeProgram">;
  /** Called when the tools may have changed. */
  onReload(): void;
}

export interface Mcp {
  readonly api: Toolbox["mcp"];
  /** Names of the servers that are configured and not switched off. */
  names(): readonly string[];
  /** What the servers of this session alone offer. */
  ownTools(scope: SessionScope, signal: AbortSignal): Promise<readonly Tool[]>;
  /** Closes the servers of a session, and forgets what it allowed the others. */
  endSession(sessionKey: string): Promise<void>;
}

type Row = ReturnType<Toolbox["mcp"]["status"]>[number];

/** The MCP servers of the configuration. None is started before their tools are first asked for. */
export function openMcp(base: ToolsBase, parts: McpOptions): Mcp {
  const { machine, config } = base;
  const { home, cwd } = machine;
  let settings = settingsOf(base, config, base.env);
  let isStarted = false;
  let changes = 0;
  const changed = (): void => {
    changes += 1;
    parts.onReload();
  };
  const { servers, own } = openServers(base, settings, parts);
  const rows = (): readonly Row[] =>
    servers.status.map((one) => ({
      name: one.name,
      state: stateOf(one, isStarted),
      tools: offeredTools(parts.registry, one.name),
      changed: servers.pendingChanges.filter(({ server }) => server === one.name).length,
    }));
  return {
    ownTools: (of, signal) => own.tools(of, signal),
    async endSession(sessionKey) {
      servers.endSession(sessionKey);
      await own.endSession(sessionKey);
    },
    names: () => settings.filter((one) => one.enabled).map((one) => one.name),
    api: {
      async ready(of, signal) {
        isStarted = true;
        await servers.ready(of, signal);
      },
      changes: () => changes,
      hasNews: (of) => servers.hasNews("turn") || own.hasNews(of),
      async letIn(of, signal) {
        const moved = await raceAbort(servers.refresh("turn", of), signal);
        const hasMoved = await raceAbort(own.refresh(of), signal);
        if (moved.length > 0 || hasMoved) changed();
      },
      async reload(of, signal) {
        // What a run was started with stays; only the files are read again.
        const trusted = machine.loaded.trust.forThisRun;
        const loaded = await loadConfig({ home, env: machine.env, cwd, trusted, rememberGood: false });
        settings = settingsOf(base, loaded.config, loaded.environment.variables);
        for (const { secret, name } of loaded.secrets.all()) machine.redactor.add(secret, name);
        await servers.reload(settings, of, signal);
        changed();
        return reportOf(rows());
      },
      status: rows,
    },
  };
}

/** Those of the configuration, and those that sessions bring. */
function openServers(
  base: ToolsBase,
  settings: readonly McpServerSettings[],
  parts: McpOptions,
): { readonly servers: McpServers; readonly own: OwnServers } {
  const { machine, config, scope } = base;
  const pins = new PinStore(machine.home.at("mcp-pins.json"), never);
  const deps = mcpDeps(base, parts);
  const common = { pins, refresh: config.mcp.refresh };
  const open = (of: SessionScope, registry: ToolRegistry) =>
    new McpServers(of.mcpServers, { ...common, deps: { ...deps, cwd: of.cwd }, registry });
  return {
    servers: scope.adopt(new McpServers(settings, { ...common, deps, registry: parts.registry })),
    own: scope.adopt(new OwnServers(open, machine.logger)),
  };
}

/** The servers that only some sessions have: each in a registry of its own, so that nobody else is shown their tools. */
class OwnServers {
  readonly #sessions = new Map<string, { readonly servers: McpServers; readonly registry: ToolRegistry }>();
  readonly #open: (scope: SessionScope, registry: ToolRegistry) => McpServers;
  readonly #logger: Logger;

  constructor(open: (scope: SessionScope, registry: ToolRegistry) => McpServers, logger: Logger) {
    this.#open = open;
    this.#logger = logger;
  }

  /** What they offer; they are started by the first question. */
  async tools(scope: SessionScope, signal: AbortSignal): Promise<readonly Tool[]> {
    if (scope.mcpServers.length === 0) return [];
    const known = this.#sessions.get(scope.key);
    const registry = known?.registry ?? new ToolRegistry(this.#logger);
    const servers = known?.servers ?? this.#open(scope, registry);
    this.#sessions.set(scope.key, { servers, registry });
    await servers.ready(scope, signal);
    return [...registry.snapshot().tools.values()];
  }

  hasNews(scope: SessionScope): boolean {
    return this.#sessions.get(scope.key)?.servers.hasNews("turn") === true;
  }

  /** Whether anything has changed. */
  async refresh(scope: SessionScope): Promise<boolean> {
    const moved = await this.#sessions.get(scope.key)?.servers.refresh("turn", scope);
    return (moved?.length ?? 0) > 0;
  }

  async endSession(sessionKey: string): Promise<void> {
    const own = this.#sessions.get(sessionKey);
    this.#sessions.delete(sessionKey);
    await own?.servers[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((key) => this.endSession(key)));
  }
}

function mcpDeps(
  base: ToolsBase,
  { gate, guardian, walls, cover }: McpOptions,
): ConstructorParameters<typeof McpServers>[1]["deps"] {
  const { machine, config, env, redact } = base;
  const { home, clock, logger } = machine;
  const endpoint = env["OSV_ENDPOINT"]?.trim() ?? "";
  return {
    clock,
    logger,
    env,
    hermesHome: home.root,
    version: machine.version,
    cwd: machine.cwd,
    redact,
    adoptProcess: (pid) => guardian.watch(pid),
    childEnv: guardian.mark,
    openServerLog: (server) =>
      openServerLog(server, {
        folder: home.logs,
        now: () => clock.now(),
        redact: (text) => machine.redactor.redact(text),
      }),
    attachments: attachmentFolder(home.at("cache", "mcp")),
    oauth: new McpOAuth(new TokenStore(home.mcpTokens, clock)),
    checkPackage: createPackageCheck({
      clock,
      logger,
      failClosed: config.mcp.osv_fail_closed,
      ...(endpoint === "" ? {} : { endpoint }),
    }),
    wall: async (owner, limits, signal) => {
      await cover.beforeProgram(owner.cwd, "before an MCP server was started", signal);
      return walls.forProgram(owner, limits, signal);
    },
    gate,
  };
}

function settingsOf({ machine }: ToolsBase, config: Config, env: NodeJS.ProcessEnv): readonly McpServerSettings[] {
  return Object.entries(config.mcp_servers).flatMap(([name, raw]) => {
    const reading = readServerSettings(name, revealed(raw), { env, logger: machine.logger });
    if (reading.kind === "settings") return [reading.settings];
    machine.notice(`The MCP server ${name} is left out: ${reading.reason}.`);
    return [];
  });
}

function stateOf(status: McpServerStatus, isStarted: boolean): string {
  if (!isStarted) return "not started";
  if (status.connected) return "connected";
  if (status.lastError === undefined) return "connecting";
  return status.retryAtMs === undefined ? `failed: ${status.lastError}` : `waiting to try again: ${status.lastError}`;
}

/** How many of a server's tools are offered, after the filters of the settings. */
function offeredTools(registry: ToolRegistry, server: string): number {
  return [...registry.snapshot().tools.values()].filter((tool) => tool.toolset === `mcp-${server}`).length;
}

function reportOf(rows: readonly Row[]): string {
  if (rows.length === 0) return "No MCP servers are configured.";
  const words = rows.map(({ name, state, tools, changed }) => {
    const off = changed === 0 ? "" : `, ${changed} changed and off until you agree`;
    const count = state === "connected" ? ` (${tools} tool${tools === 1 ? "" : "s"}${off})` : "";
    return `${name}: ${state}${count}`;
  });
  return `MCP servers: ${words.join("; ")}.`;
}

import { type Config, loadConfig } from "#config";
import { never, raceAbort } from "#foundation/lifecycle/abort";
import {
  type ApprovalGate,
  attachmentFolder,
  createPackageCheck,
  type Guardian,
  McpOAuth,
  type McpServerSettings,
  type McpServerStatus,
  McpServers,
  openServerLog,
  PinStore,
  readServerSettings,
  TokenStore,
  type ToolRegistry,
} from "#tools";
import type { Toolbox } from "../toolbox.ts";
import { revealed } from "./revealed.ts";
import type { ToolboxBase } from "./toolbox-options.ts";

export interface McpParts {
  readonly registry: ToolRegistry;
  readonly gate: ApprovalGate;
  readonly guardian: Guardian;
  /** Called when the tools may have changed. */
  onReload(): void;
}

export interface Mcp {
  readonly api: Toolbox["mcp"];
  /** Names of the servers that are configured and not switched off. */
  names(): readonly string[];
}

type Row = ReturnType<Toolbox["mcp"]["status"]>[number];

/** The MCP servers of the configuration. None is started before their tools are first asked for. */
export function openMcp(base: ToolboxBase, parts: McpParts): Mcp {
  const { options, config, scope } = base;
  const { home, cwd } = options;
  let settings = settingsOf(base, config, base.env);
  let isStarted = false;
  let changes = 0;
  const changed = (): void => {
    changes += 1;
    parts.onReload();
  };
  const { confirmMcpChange } = options;
  const servers = scope.adopt(
    new McpServers(settings, {
      deps: mcpDeps(base, parts),
      registry: parts.registry,
      pins: new PinStore(home.at("mcp-pins.json"), never),
      refresh: config.mcp.refresh,
      ...(confirmMcpChange === undefined ? {} : { confirmChange: confirmMcpChange }),
    }),
  );
  const rows = (): readonly Row[] =>
    servers.status.map((one) => ({
      name: one.name,
      state: stateOf(one, isStarted),
      tools: offeredTools(parts.registry, one.name),
    }));
  return {
    names: () => settings.filter((one) => one.enabled).map((one) => one.name),
    api: {
      async ready(signal) {
        isStarted = true;
        await servers.ready(signal);
      },
      async refresh(signal) {
        const moved = await raceAbort(servers.refresh("turn"), signal);
        if (moved.length > 0) changed();
        return changes;
      },
      async reload(signal) {
        // What a run was started with stays; only the files are read again.
        const loaded = await loadConfig({ home, env: options.env ?? base.env, cwd, rememberGood: false });
        settings = settingsOf(base, loaded.config, loaded.environment.variables);
        for (const { secret, name } of loaded.secrets.all()) base.redactor.add(secret, name);
        await servers.reload(settings, signal);
        changed();
        return reportOf(rows());
      },
      status: rows,
    },
  };
}

function mcpDeps(base: ToolboxBase, { gate, guardian }: McpParts): ConstructorParameters<typeof McpServers>[1]["deps"] {
  const { options, config, env, cwd, redact } = base;
  const { home, clock, logger, sample, confirmSampling, elicit } = options;
  const endpoint = env["OSV_ENDPOINT"]?.trim() ?? "";
  return {
    clock,
    logger,
    env,
    hermesHome: home.root,
    version: options.version,
    cwd,
    redact,
    adoptProcess: (pid) => guardian.watch(pid),
    childEnv: guardian.mark,
    openServerLog: (server) =>
      openServerLog(server, {
        folder: home.logs,
        now: () => clock.now(),
        redact: (text) => base.redactor.redact(text),
      }),
    attachments: attachmentFolder(home.at("cache", "mcp")),
    oauth: new McpOAuth(new TokenStore(home.mcpTokens, clock)),
    checkPackage: createPackageCheck({
      clock,
      logger,
      failClosed: config.mcp.osv_fail_closed,
      ...(endpoint === "" ? {} : { endpoint }),
    }),
    gate,
    ...(sample === undefined ? {} : { sample }),
    ...(confirmSampling === undefined ? {} : { confirmSampling }),
    ...(elicit === undefined ? {} : { elicit }),
  };
}

function settingsOf({ options }: ToolboxBase, config: Config, env: NodeJS.ProcessEnv): readonly McpServerSettings[] {
  return Object.entries(config.mcp_servers).flatMap(([name, raw]) => {
    const reading = readServerSettings(name, revealed(raw), { env, logger: options.logger });
    if (reading.kind === "settings") return [reading.settings];
    options.onNotice(`The MCP server ${name} is left out: ${reading.reason}.`);
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
  const words = rows.map(({ name, state, tools }) => {
    const count = state === "connected" ? ` (${tools} tool${tools === 1 ? "" : "s"})` : "";
    return `${name}: ${state}${count}`;
  });
  return `MCP servers: ${words.join("; ")}.`;
}

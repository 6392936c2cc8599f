import path from "node:path";
import { never } from "#foundation/lifecycle/abort";
import { Scope } from "#foundation/lifecycle/disposal";
import { Hooks } from "#plugins";
import { AvailabilityProbes, type ToolAudit, ToolRegistry, toolAudit } from "#tools";
import type { ObservedTurn, Toolbox } from "./toolbox.ts";
import { absolutePath } from "./tools/absolute-path.ts";
import { openApproval } from "./tools/approval.ts";
import { builtinTools } from "./tools/builtin.ts";
import { type CallWatchers, watchCalls } from "./tools/call-watchers.ts";
import { hasCheckpoints, openFiles } from "./tools/files.ts";
import { listOf } from "./tools/listing.ts";
import { openMcp } from "./tools/mcp.ts";
import { openPersonShell } from "./tools/person-shell.ts";
import { loadPlugins, loadShellHooks, openPlugins } from "./tools/plugins.ts";
import { openRedaction } from "./tools/redaction.ts";
import { resultFiles } from "./tools/task-files.ts";
import { openTerminals } from "./tools/terminals.ts";
import type { ToolboxBase, ToolboxOptions } from "./tools/toolbox-options.ts";

export type { ToolboxOptions } from "./tools/toolbox-options.ts";

/**
 * Everything that acts on this machine, from the configuration.
 *
 * 1. Opening reads files at most: no program starts, no library of a browser, of MCP or of pages is loaded.
 * 2. What has a lifetime is owned by one scope and ends in reverse: browsers, MCP servers, plugins, background
 *    processes, terminals, and last the guardian of them all.
 */
export async function openToolbox(options: ToolboxOptions, signal: AbortSignal = never): Promise<Toolbox> {
  const scope = new Scope();
  try {
    return await assemble(options, scope, signal);
  } catch (error) {
    await scope[Symbol.asyncDispose]();
    throw error;
  }
}

async function assemble(options: ToolboxOptions, scope: Scope, signal: AbortSignal): Promise<Toolbox> {
  const { loaded, clock, logger } = options;
  const { config } = loaded;
  const redaction = openRedaction(loaded, options.redactor);
  const { redactor, redact } = redaction;
  const base: ToolboxBase = {
    options,
    config,
    env: loaded.environment.variables,
    cwd: absolutePath(config.terminal.cwd, options.cwd, options.userHome),
    scope,
    redactor,
    redact,
  };
  const hooks = new Hooks({ logger, timeoutMs: config.hooks_timeout_ms });
  const audit = scope.adopt(openAudit(base));
  const { gate, grants, yolo, personGate } = openApproval(base, hooks, (entry) => audit.decided(entry));
  const terminals = openTerminals(base);
  const { leases, processes, guardian, sudo } = terminals;
  const files = openFiles(base, { terminals, gate, findMask: redaction.findMask });
  const registry = new ToolRegistry(logger);
  const plugins = openPlugins(base, { registry, hooks, guardian });
  const watchers: CallWatchers = {
    hooks,
    audit,
    history: files.history,
    leases,
    cwd: base.cwd,
    ...(hasCheckpoints(base, terminals) ? { checkpoints: files.checkpoints } : {}),
  };
  const observers = (turn: ObservedTurn) => watchCalls(watchers, turn);
  const probes = new AvailabilityProbes(clock);
  const mcp = openMcp(base, { registry, gate, guardian, onReload: () => probes.forget() });
  const parts = { terminals, files, gate, hooks, registry, plugins, observers };
  const { tools, browsers } = await builtinTools(base, parts, signal);
  for (const tool of tools) registry.register(tool);
  await loadPlugins(base, plugins);
  await loadShellHooks(base, hooks, signal);
  return {
    registry,
    redactor,
    redact,
    list: (wish, wait) => listOf(base, { registry, probes, mcp, wish }, wait),
    files: (taskId) => resultFiles(leases, taskId, logger),
    observers(turn) {
      files.checkpoints.startStep(turn.signal);
      return observers(turn);
    },
    hooks,
    yolo,
    checkpoints: files.checkpoints,
    processes,
    async release(taskId) {
      files.history.reset(taskId);
      files.history.forgetShown(taskId);
      files.ledger.forget(taskId);
      await Promise.all([browsers.release(taskId), leases.release(taskId)]);
    },
    endSession(sessionKey) {
      grants.endSession(sessionKey);
      yolo.endSession(sessionKey);
      sudo.forget(sessionKey);
    },
    forgetShown: (taskId) => files.history.forgetShown(taskId),
    runForPerson: openPersonShell(base, { terminals, gate: personGate }),
    mcp: mcp.api,
    plugins: plugins.api,
    register: (tool) => registry.register(tool),
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

/** `security.audit`: one line for each call that tools ran. */
function openAudit({ options, config, redactor }: ToolboxBase): ToolAudit {
  return toolAudit({
    file: path.join(options.home.logs, "tool-audit.jsonl"),
    detail: config.security.audit,
    redactor,
    clock: options.clock,
    onProblem: (message) => options.logger.warn("the record of tool calls cannot be written", { message }),
  });
}

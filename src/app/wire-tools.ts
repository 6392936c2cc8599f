import path from "node:path";
import { absolutePath } from "#config";
import { Scope } from "#foundation/lifecycle/disposal";
import {
  AvailabilityProbes,
  noExtensions,
  type ObservedTurn,
  OpenSessions,
  type ToolAudit,
  ToolRegistry,
  type ToolSession,
  toolAudit,
} from "#tools";
import type { Toolbox } from "./toolbox.ts";
import { type Approval, openApproval } from "./tools/approval.ts";
import { builtinTools } from "./tools/builtin.ts";
import { type CallWatchers, watchCalls } from "./tools/call-watchers.ts";
import { openFiles } from "./tools/files.ts";
import { listOf } from "./tools/listing.ts";
import { type Mcp, openMcp } from "./tools/mcp.ts";
import { nestedCalls } from "./tools/nested-calls.ts";
import { openPersonShell } from "./tools/person-shell.ts";
import { openRedaction } from "./tools/redaction.ts";
import { resultFiles } from "./tools/task-files.ts";
import { openTerminals, type Terminals } from "./tools/terminals.ts";
import type { ToolboxBase, ToolboxOptions } from "./tools/toolbox-options.ts";

export type { ToolboxOptions } from "./tools/toolbox-options.ts";

/**
 * Everything that acts on this machine, from the configuration.
 *
 * 1. Opening reads files at most: no program starts, no library of a browser, of MCP or of pages is loaded.
 * 2. What has a lifetime is owned by one scope and ends in reverse: browsers, MCP servers, plugins, background
 *    processes, terminals, and last the guardian of them all.
 */
export function openToolbox(options: ToolboxOptions): Toolbox {
  const scope = new Scope();
  const { loaded, clock, logger } = options;
  const { config } = loaded;
  const redaction = openRedaction(loaded, options.redactor);
  const { redactor, redact } = redaction;
  const parts = {
    options,
    config,
    env: loaded.environment.variables,
    cwd: absolutePath(config.terminal.cwd, options.cwd, options.userHome),
    scope,
    redactor,
    redact,
  };
  const sessions = new OpenSessions();
  const extensions = options.extensions?.(sessions) ?? noExtensions;
  const base: ToolboxBase = { ...parts, extensions };
  const audit = scope.adopt(openAudit(base));
  const approval = openApproval(base, (entry) => audit.decided(entry));
  const { gate, yolo } = approval;
  const terminals = openTerminals(base, () => extensions.terminals());
  const { leases, processes, guardian, kind, variables } = terminals;
  const files = openFiles(base, { terminals, gate, findMask: redaction.findMask });
  const registry = new ToolRegistry(logger);
  const watchers: CallWatchers = {
    extensions,
    audit,
    history: files.history,
    leases,
    terminalKind: kind,
    checkpoints: config.checkpoints.enabled ? files.checkpoints : undefined,
  };
  const observers = (turn: ObservedTurn) => {
    sessions.note(turn.scope.key, turn.taskId);
    return watchCalls(watchers, turn);
  };
  const callTool = nestedCalls({ registry, clock, logger, redact, observers });
  const probes = new AvailabilityProbes(clock);
  const mcp = openMcp(base, { registry, gate, guardian, onReload: () => probes.forget() });
  const { tools, browsers } = builtinTools(base, { terminals, files, gate, callTool });
  for (const tool of tools) registry.register(tool);
  const release = async (taskId: string): Promise<void> => {
    files.history.forget(taskId);
    files.ledger.forget(taskId);
    await Promise.all([browsers.release(taskId), leases.release(taskId)]);
  };
  return {
    registry,
    redactor,
    redact,
    list: (wish, of, wait) => listOf(base, { scope: of, registry, probes, mcp, wish }, wait),
    openSession: (session) => openSession(session, { sessions, approval, terminals, mcp, release }),
    files: (task) => resultFiles(leases, task, logger),
    observers,
    yolo,
    checkpoints: files.checkpoints,
    processes,
    variables,
    release,
    endTurn: (taskId) => leases.endTurn(taskId),
    forgetShown: (taskId) => files.history.forgetShown(taskId),
    runForPerson: openPersonShell(base, { terminals, gate: approval.personGate, sessions }),
    mcp: mcp.api,
    callTool,
    adoptProcess: (pid) => guardian.watch(pid),
    register: (tool) => registry.register(tool),
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

interface SessionParts {
  readonly sessions: OpenSessions;
  readonly approval: Approval;
  readonly terminals: Terminals;
  readonly mcp: Mcp;
  release(taskId: string): Promise<void>;
}

/** A session that is over leaves nothing: neither what it holds nor what it was allowed. */
function openSession(session: ToolSession, parts: SessionParts): AsyncDisposable {
  const { sessions, approval, terminals, mcp } = parts;
  const { key } = session.scope;
  sessions.add(session);
  return {
    async [Symbol.asyncDispose]() {
      if (sessions.scope(key) !== session.scope) return;
      const tasks = sessions.remove(session);
      approval.grants.endSession(key);
      approval.yolo.endSession(key);
      terminals.sudo.forget(key);
      terminals.variables.endSession(key);
      await terminals.processes.endSession(key);
      await Promise.all([
        ...tasks.map((taskId) => parts.release(taskId)),
        terminals.leases.endSession(key),
        terminals.walls.end(key),
        mcp.endSession(key),
      ]);
    },
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

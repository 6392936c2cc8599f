import path from "node:path";
import type { Machine } from "#config";
import { Scope } from "#foundation/lifecycle/disposal";
import { judgeCalls } from "../approval/permissions/judge-calls.ts";
import { type ToolAudit, toolAudit } from "../approval/tool-audit.ts";
import { type CallWatchers, watchCalls } from "../call/call-watchers.ts";
import { nestedCalls } from "../call/nested-calls.ts";
import { OpenSessions } from "../call/open-sessions.ts";
import { WebExits } from "../confinement/web-exits.ts";
import { noExtensions, type ObservedTurn } from "../contract/tool-extensions.ts";
import { MaskMemory } from "../files/mask-memory.ts";
import { resultFiles } from "../files/task-files.ts";
import { shrinkDataUrl } from "../media/shrink-data-url.ts";
import { AvailabilityProbes } from "../registry/availability.ts";
import { ToolRegistry } from "../registry/registry.ts";
import { withBoundKeys } from "../web/service-addresses.ts";
import { openApproval } from "./open-approval.ts";
import { builtinTools } from "./open-builtin.ts";
import { openFiles } from "./open-files.ts";
import { openMcp } from "./open-mcp.ts";
import { openPermissions } from "./open-permissions.ts";
import { openSession } from "./open-session.ts";
import { openSnapshots } from "./open-snapshots.ts";
import { openTerminals } from "./open-terminals.ts";
import { openPersonShell } from "./person-shell.ts";
import { listOf } from "./session-listing.ts";
import type { Toolbox } from "./toolbox.ts";
import type { ToolsBase, ToolsOptions } from "./tools-base.ts";

/**
 * Everything that acts on this machine, from the configuration.
 *
 * 1. Opening reads files at most: no program starts, no library of a browser, of MCP or of pages is loaded.
 * 2. What has a lifetime is owned by one scope and ends in reverse: browsers, MCP servers, background processes,
 *    terminals, and last the guardian of them all.
 */
export function openTools(machine: Machine, options: ToolsOptions = {}): Toolbox {
  const opened = openAll(machine, options);
  const { base, sessions, registry, probes, approval, terminals, files, cover, mcp, callTool, browsers, exits } =
    opened;
  const { leases, processes, guardian, variables, walls } = terminals;
  const { config, redact, scope } = base;
  const forget = (taskId: string): void => {
    files.history.forget(taskId);
    files.ledger.forget(taskId);
  };
  const release = async (taskId: string): Promise<void> => {
    forget(taskId);
    await Promise.all([browsers.release(taskId), leases.release(taskId)]);
  };
  const toolbox: Toolbox = {
    registry,
    redactor: machine.redactor,
    redact,
    list: (wanted, of, signal) => listOf({ config, registry, probes, mcp, scope: of }, wanted, signal),
    openSession: (session) => openSession(session, { sessions, approval, terminals, mcp, cover, exits, release }),
    files: (task) => resultFiles(leases, task, machine.logger),
    observers: opened.observers,
    yolo: approval.yolo,
    plan: approval.plan,
    permissions: {
      list: (of) => approval.permissions.list(of),
      add: async (of, effect, text) => {
        const problem = approval.permissions.add(of.key, effect, text);
        if (problem === undefined) await walls.rulesChanged(of);
        return problem;
      },
      remove: async (of, text) => {
        const isGone = approval.permissions.remove(of.key, text);
        if (isGone) await walls.rulesChanged(of);
        return isGone;
      },
    },
    snapshots: opened.snapshots,
    processes,
    unclaimed: terminals.unclaimed,
    variables,
    terminal: (task, signal) => leases.take(task, signal),
    release,
    endTurn: (taskId) => leases.endTurn(taskId),
    settleFiles: (sessionKey) => cover.end(sessionKey),
    forgetShown: (taskId) => files.history.forgetShown(taskId),
    changedByOthers: (taskId) => files.ledger.changedByOthers(taskId),
    takenBack: (sessionKey) => sessions.tasks(sessionKey).forEach(forget),
    runForPerson: openPersonShell(base, { terminals, cover, gate: approval.personGate, sessions }),
    shrinkImage: (url, maxBytes, signal) => shrinkDataUrl(url, { maxBytes, shrink: opened.shrink }, signal),
    sayAloud: opened.sayAloud,
    managedServices: opened.services,
    wall: (of, signal) => walls.of(of, signal),
    testWall: async (folder, more, signal) => {
      const { testFolder } = await import("./self-test/test-folder.ts");
      return await testFolder(toolbox, { folder, more, base, walls }, signal);
    },
    mcp: mcp.api,
    callTool,
    adoptProcess: (pid) => guardian.watch(pid),
    register: (tool) => registry.register(tool),
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
  return toolbox;
}

/** One after the other, in the order of what they need. */
function openAll(machine: Machine, options: ToolsOptions) {
  const sessions = new OpenSessions();
  const base = baseOf(machine, options, sessions);
  const { scope, redact } = base;
  const { clock, logger } = machine;
  const audit = scope.adopt(openAudit(base));
  const permissions = openPermissions(base);
  const terminals = openTerminals(base, permissions);
  const registry = new ToolRegistry(logger);
  const { snapshots, cover } = openSnapshots(base, { terminals, registry });
  const approval = openApproval(base, {
    walls: terminals.walls,
    permissions,
    cover,
    decided: (entry) => audit.decided(entry),
  });
  const { gate } = approval;
  const { guardian, walls } = terminals;
  const files = openFiles(base, { terminals, gate, cover });
  const toolNamed: CallWatchers["toolNamed"] = (name) => registry.snapshot().tools.get(name);
  const watchers: CallWatchers = {
    extensions: base.extensions,
    audit,
    history: files.history,
    cover,
    judge: (turn) => judgeCalls({ permissions, gate, toolNamed, plan: approval.plan, home: machine.userHome }, turn),
    toolNamed,
  };
  const observers = (turn: ObservedTurn) => {
    sessions.note(turn.scope.key, turn.taskId);
    return [...watchCalls(watchers, turn), exits.hearing(turn.scope.key)];
  };
  const callTool = nestedCalls({ registry, clock, logger, redact, observers });
  const probes = new AvailabilityProbes(clock);
  const mcp = openMcp(base, { registry, gate, guardian, walls, cover, onReload: () => probes.forget() });
  const exits = new WebExits({ walls, redactKnown: (text) => machine.redactor.redactKnown(text) });
  const { tools, browsers, shrink, services, sayAloud } = builtinTools(base, {
    terminals,
    files,
    gate,
    exits,
    callTool,
  });
  for (const tool of tools) registry.register(tool);
  return {
    ...{ base, sessions, registry, probes, approval, terminals, files },
    ...{ snapshots, cover, observers, callTool, mcp, browsers, shrink, services, sayAloud, exits },
  };
}

function baseOf(machine: Machine, options: ToolsOptions, sessions: OpenSessions): ToolsBase {
  const { config, environment } = machine.loaded;
  const masks = new MaskMemory(machine.redactor);
  return {
    machine,
    options,
    config,
    env: withBoundKeys(environment, (name) =>
      machine.logger.warn(
        `${name} does not count: the key for it comes from elsewhere; name the address in the home's .env`,
      ),
    ),
    scope: new Scope(),
    redact: config.security.redact_secrets ? masks.redact : (text) => text,
    findMask: masks.find,
    extensions: options.extensions?.(sessions) ?? noExtensions,
  };
}

/** `security.audit`: one line for each call that tools ran. */
function openAudit({ machine, config }: ToolsBase): ToolAudit {
  const { home, redactor, clock, logger } = machine;
  return toolAudit({
    file: path.join(home.logs, "tool-audit.jsonl"),
    detail: config.security.audit,
    redactor,
    clock,
    onProblem: (message) => logger.warn("the record of tool calls cannot be written", { message }),
  });
}

import { tmpdir } from "node:os";
import { environmentVariables, type LoadedConfig } from "#config";
import {
  Guardian,
  LeaseTable,
  localOpener,
  openSandbox,
  ProcessTable,
  readTerminalKind,
  type Sandbox,
  type SandboxMode,
  type SessionScope,
  SessionVariables,
  SudoPasswords,
  subprocessHome,
  type TerminalKind,
  type TerminalOpener,
  type TerminalOpeners,
  type Tool,
  ToolFailure,
  terminalAvailability,
} from "#tools";
import { reportTo } from "../process-notice.ts";
import type { ToolboxBase } from "./toolbox-options.ts";

export interface Terminals {
  readonly guardian: Guardian;
  readonly leases: LeaseTable;
  readonly processes: ProcessTable;
  readonly sudo: SudoPasswords;
  readonly variables: SessionVariables;
  /** Of sessions that choose none. */
  readonly kind: TerminalKind;
  /** What confines commands of a session that works in this folder; found out once, at first use. */
  sandbox(cwd: string, signal: AbortSignal): Promise<Sandbox>;
  readonly checkFor: NonNullable<Tool["checkFor"]>;
  /** What commands of a session see besides the variables of everybody. */
  moreVariables(scope: SessionScope): Readonly<Record<string, string>>;
}

/** Where commands run, and what watches over the processes they leave. */
export function openTerminals(base: ToolboxBase, others: () => ReadonlyMap<string, TerminalOpener>): Terminals {
  const { options, config, scope, redact } = base;
  const { clock, logger, home } = options;
  const { terminal } = config;
  const guardian = scope.adopt(new Guardian(logger));
  const variables = new SessionVariables();
  const processes = new ProcessTable({
    clock,
    logger,
    recordFile: home.processes,
    outputDir: home.at("cache", "processes"),
    redact,
    onEvent: reportTo({ wanted: config.display.background_process_notifications, logger }),
  });
  const sandbox = findSandbox(base, config.terminal.sandbox);
  const moreVariables = variablesOf(base, variables);
  const local = localOpener({
    env: base.env,
    environment: {
      policy: "inherit",
      passthrough: terminal.env_passthrough,
      blocked: blockedVariables(options.loaded),
    },
    moreVariables,
    hermesHome: home.root,
    logger,
    guardian,
    sandbox,
    ...(terminal.shell_init_files.length === 0 ? {} : { shellInitFiles: terminal.shell_init_files }),
    autoSourceBashrc: terminal.auto_source_bashrc,
    keepsState: terminal.persistent_shell,
  });
  const openers = (): TerminalOpeners => ({ ...Object.fromEntries(others()), local });
  const checkFor = (of: SessionScope): ReturnType<typeof terminalAvailability> =>
    terminalAvailability(of.terminal.kind ?? terminal.backend, openers());
  const kind = readTerminalKind(terminal.backend) ?? "local";
  const leases = new LeaseTable({
    open: (task, signal) => {
      const usable = checkFor(task.scope);
      const open = openers()[task.scope.terminal.kind ?? kind];
      if (usable !== true || open === undefined)
        throw new ToolFailure(`No terminal can be opened: ${usable === true ? kind : usable.reason}.`);
      return open(task, signal);
    },
    hasProcesses: (taskId) => processes.hasActiveProcesses(taskId),
    clock,
    logger,
    lifetimeMs: terminal.lifetime_seconds * 1000,
  });
  // Ended in reverse: processes before the terminals they run in, the guardian last.
  scope.adopt(leases);
  scope.adopt(processes);
  return { guardian, leases, processes, sudo: sudoOf(base), variables, kind, sandbox, checkFor, moreVariables };
}

/** What loaded skills name, with the value it has for everybody or was typed in this session; never a key of Hermes' own. */
function variablesOf({ env }: ToolboxBase, variables: SessionVariables): Terminals["moreVariables"] {
  const own = new Set(knownCredentials());
  return ({ key }) => {
    const named = variables.names(key).flatMap((name) => {
      const value = env[name];
      return value === undefined || own.has(name) ? [] : [[name, value] as const];
    });
    return { ...Object.fromEntries(named), ...variables.typed(key) };
  };
}

/** What confines programs here. It is looked for at first use, because that starts a program. */
export function findSandbox({ options, env }: ToolboxBase, mode: SandboxMode): Terminals["sandbox"] {
  let found: Promise<Sandbox> | undefined;
  const own = subprocessHome(options.home.root);
  const writable = own === undefined ? [] : [own];
  const policy = { home: options.userHome, hermesHome: options.home.root, writable, network: "on" } as const;
  return async (cwd, signal) => {
    found ??= openSandbox({ mode, policy, env, tempDir: tmpdir() }, signal).then((sandbox) => {
      if (sandbox.kind === "open" && sandbox.notice !== undefined) options.onNotice(sandbox.notice);
      return sandbox;
    });
    try {
      const sandbox = await found;
      if (sandbox.kind === "open") return sandbox;
      const { confine } = sandbox;
      return { ...sandbox, confine: (call, at) => confine(call, { ...at, writable: [cwd, ...at.writable] }) };
    } catch (error) {
      // A failure or an interrupt is not remembered: the next command tries again.
      found = undefined;
      throw error;
    }
  };
}

/** An empty variable counts as the password; an empty setting means that there is none. */
function sudoOf({ options, config, env }: ToolboxBase): SudoPasswords {
  const configured = config.terminal.sudo_password;
  const isSet = !configured.isEmpty || env["SUDO_PASSWORD"] !== undefined;
  return new SudoPasswords({ clock: options.clock, ...(isSet ? { configured } : {}) });
}

/**
 * What no command inherits: every credential Hermes knows by name, and whatever looks like one and was
 * given to Hermes in a file. A credential of the person's own shell that Hermes has no use for stays.
 */
export function blockedVariables({ secrets }: LoadedConfig): readonly string[] {
  const given = secrets.all().map(({ name }) => name);
  return [...new Set([...knownCredentials(), ...given.filter((name) => secrets.originOf(name) !== "shell")])];
}

function knownCredentials(): readonly string[] {
  return environmentVariables.filter((variable) => variable.kind === "secret").map(({ name }) => name);
}

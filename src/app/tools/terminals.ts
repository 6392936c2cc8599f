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
  SudoPasswords,
  subprocessHome,
  type TerminalKind,
  ToolFailure,
  terminalAvailability,
} from "#tools";
import type { ToolboxBase } from "./toolbox-options.ts";

export interface Terminals {
  readonly guardian: Guardian;
  readonly leases: LeaseTable;
  readonly processes: ProcessTable;
  readonly sudo: SudoPasswords;
  readonly kind: TerminalKind;
  /** What confines commands here; found out once, at first use. */
  sandbox(signal: AbortSignal): Promise<Sandbox>;
  check(): ReturnType<typeof terminalAvailability>;
}

/** Where commands run, and what watches over the processes they leave. */
export function openTerminals(base: ToolboxBase): Terminals {
  const { options, config, scope, redact } = base;
  const { clock, logger, home } = options;
  const { terminal } = config;
  const guardian = scope.adopt(new Guardian(logger));
  const processes = new ProcessTable({
    clock,
    logger,
    recordFile: home.processes,
    outputDir: home.at("cache", "processes"),
    redact,
    onEvent: (event) => options.onProcessEvent?.(event),
  });
  const sandbox = findSandbox(base, config.terminal.sandbox);
  const openers = { local: openerOf(base, guardian, sandbox) };
  const check = (): ReturnType<typeof terminalAvailability> => terminalAvailability(terminal.backend, openers);
  const leases = new LeaseTable({
    open: (taskId, overrides, signal) => {
      const usable = check();
      if (usable !== true) throw new ToolFailure(`No terminal can be opened: ${usable.reason}.`);
      return openers.local(taskId, overrides, signal);
    },
    hasProcesses: (taskId) => processes.hasActiveProcesses(taskId),
    clock,
    logger,
    lifetimeMs: terminal.lifetime_seconds * 1000,
  });
  // Ended in reverse: processes before the terminals they run in, the guardian last.
  scope.adopt(leases);
  scope.adopt(processes);
  const kind = readTerminalKind(terminal.backend) ?? "local";
  return { guardian, leases, processes, sudo: sudoOf(base), kind, sandbox, check };
}

type Opener = ReturnType<typeof localOpener>;

function openerOf(base: ToolboxBase, guardian: Guardian, sandbox: Terminals["sandbox"]): Opener {
  const { options, config, env, cwd } = base;
  const { terminal } = config;
  const blocked = blockedVariables(options.loaded);
  return (taskId, overrides, signal) => {
    const open = localOpener({
      cwd,
      env,
      environment: {
        policy: options.childVariables ?? "inherit",
        passthrough: terminal.env_passthrough,
        skillPassthrough: options.skillVariables?.({ taskId }) ?? [],
        blocked,
      },
      hermesHome: options.home.root,
      logger: options.logger,
      guardian,
      sandbox,
      ...(terminal.shell_init_files.length === 0 ? {} : { shellInitFiles: terminal.shell_init_files }),
      autoSourceBashrc: terminal.auto_source_bashrc,
      keepsState: terminal.persistent_shell,
    });
    return open(taskId, overrides, signal);
  };
}

/** What confines programs here. It is looked for at first use, because that starts a program. */
export function findSandbox({ options, env, cwd }: ToolboxBase, mode: SandboxMode): Terminals["sandbox"] {
  let found: Promise<Sandbox> | undefined;
  const own = subprocessHome(options.home.root);
  const writable = own === undefined ? [cwd] : [cwd, own];
  const policy = { home: options.userHome, hermesHome: options.home.root, writable, network: "on" } as const;
  return async (signal) => {
    found ??= openSandbox({ mode, policy, env, tempDir: tmpdir() }, signal).then((sandbox) => {
      if (sandbox.kind === "open" && sandbox.notice !== undefined) options.onNotice(sandbox.notice);
      return sandbox;
    });
    try {
      return await found;
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
  const { askSecret } = options;
  return new SudoPasswords({
    clock: options.clock,
    ...(configured.isEmpty && env["SUDO_PASSWORD"] === undefined ? {} : { configured }),
    ...(askSecret === undefined
      ? {}
      : { ask: (sessionKey, signal) => askSecret({ prompt: "Password for sudo", sessionKey }, signal) }),
  });
}

/**
 * What no command inherits: every credential Hermes knows by name, and whatever looks like one and was
 * given to Hermes in a file. A credential of the person's own shell that Hermes has no use for stays.
 */
export function blockedVariables({ secrets }: LoadedConfig): readonly string[] {
  const known = environmentVariables.filter((variable) => variable.kind === "secret").map(({ name }) => name);
  const given = secrets.all().map(({ name }) => name);
  return [...new Set([...known, ...given.filter((name) => secrets.originOf(name) !== "shell")])];
}

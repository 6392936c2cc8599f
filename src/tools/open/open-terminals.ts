import { tmpdir } from "node:os";
import path from "node:path";
import { changeSetting, environmentVariables, type LoadedConfig, loadConfig, type Machine } from "#config";
import { describe } from "#foundation/errors";
import { withFileLock } from "#foundation/files/files";
import { proxyFromEnv } from "#foundation/http/proxy";
import { never } from "#foundation/lifecycle/abort";
import { ownEnvironment } from "#foundation/process/platform";
import type { Permissions } from "../approval/permissions/permissions.ts";
import { ScriptStarts } from "../code/script-starts.ts";
import { Walls } from "../confinement/walls.ts";
import { ToolFailure } from "../contract/result.ts";
import type { SessionChat, SessionScope } from "../contract/session-scope.ts";
import type { TerminalKind } from "../contract/terminal.ts";
import type { Tool } from "../contract/tool.ts";
import type { Destination } from "../network/host-rules.ts";
import { KnownRegistries } from "../network/registries.ts";
import { SudoPasswords } from "../terminals/command/sudo-password.ts";
import { childEnvironment } from "../terminals/environment-variables.ts";
import { Guardian } from "../terminals/guardian.ts";
import { LeaseTable } from "../terminals/lease.ts";
import { remoteOpeners } from "../terminals/open-backends.ts";
import {
  localOpener,
  readTerminalKind,
  spareTimes,
  subprocessHome,
  type TerminalOpeners,
  terminalAvailability,
} from "../terminals/open-terminal.ts";
import { reportTo } from "../terminals/processes/process-notice.ts";
import { ProcessTable } from "../terminals/processes/process-table.ts";
import { UnclaimedReports } from "../terminals/processes/unclaimed-reports.ts";
import type { BackendDeps } from "../terminals/remote/backend.ts";
import { SessionVariables } from "../terminals/session-variables.ts";
import { terminalNeeds } from "../terminals/terminal-needs.ts";
import { createManagedGateway } from "../web/managed-gateway.ts";
import type { ToolsBase } from "./tools-base.ts";

export interface Terminals {
  readonly guardian: Guardian;
  readonly leases: LeaseTable;
  readonly processes: ProcessTable;
  readonly unclaimed: UnclaimedReports;
  readonly sudo: SudoPasswords;
  readonly variables: SessionVariables;
  /** Of sessions that choose none. */
  readonly kind: TerminalKind;
  /** What holds the programs of each session inside. */
  readonly walls: Walls;
  readonly scripts: ScriptStarts;
  readonly checkFor: NonNullable<Tool["checkFor"]>;
  /** What commands of a session see besides the variables of everybody. */
  moreVariables(scope: SessionScope): Readonly<Record<string, string>>;
}

/** Where commands run, and what watches over the processes they leave. */
export function openTerminals(base: ToolsBase, permissions: Permissions): Terminals {
  const { machine, config, scope, redact } = base;
  const { clock, logger, home } = machine;
  const { terminal } = config;
  const guardian = scope.adopt(new Guardian(logger));
  const variables = new SessionVariables();
  const unclaimed = new UnclaimedReports();
  const processes = new ProcessTable({
    clock,
    logger,
    recordFile: home.processes,
    outputDir: home.at("cache", "processes"),
    redact,
    onEvent: reportTo({ wanted: config.display.background_process_notifications, logger, unclaimed }),
  });
  // What a run that was killed left behind belongs to its session again, and its end is told.
  void processes.recovered();
  const walls = openWalls(base, { guardian, permissions });
  const moreVariables = variablesOf(base, variables);
  const local = localOpener({
    env: base.env,
    environment: {
      policy: "inherit",
      passthrough: terminal.env_passthrough,
      blocked: blockedVariables(machine.loaded),
    },
    moreVariables,
    hermesHome: home.root,
    logger,
    guardian,
    wall: (of, signal) => walls.of(of, signal),
    ...(terminal.shell_init_files.length === 0 ? {} : { shellInitFiles: terminal.shell_init_files }),
    autoSourceBashrc: terminal.auto_source_bashrc,
    keepsState: terminal.persistent_shell,
  });
  const remote = remoteOpeners(backendDeps(base, { guardian, moreVariables }));
  const openers = (): TerminalOpeners => ({ ...Object.fromEntries(base.extensions.terminals()), ...remote, local });
  const checkFor = (of: SessionScope): ReturnType<typeof terminalAvailability> => {
    const wanted = of.terminal.kind ?? terminal.backend;
    const needs = terminalNeeds(wanted, { settings: terminal, env: base.env, authFile: home.authFile });
    return needs === undefined ? terminalAvailability(wanted, openers()) : { reason: needs };
  };
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
  const scripts = scope.adopt(new ScriptStarts({ spareTimes, watch: (pid) => guardian.watch(pid) }));
  return {
    guardian,
    leases,
    processes,
    unclaimed,
    scripts,
    sudo: sudoOf(base),
    variables,
    kind,
    walls,
    checkFor,
    moreVariables,
  };
}

function backendDeps(
  { machine, config, env, options }: ToolsBase,
  { guardian, moreVariables }: { readonly guardian: Guardian } & Pick<Terminals, "moreVariables">,
): BackendDeps {
  const { home, logger } = machine;
  const { terminal } = config;
  const blocked = blockedVariables(machine.loaded);
  let clientEnvironment: Readonly<Record<string, string>> | undefined;
  return {
    settings: terminal,
    env,
    get clientEnvironment() {
      clientEnvironment ??= childEnvironment(env, { policy: "inherit", blocked, extra: guardian.mark });
      return clientEnvironment;
    },
    hermesHome: home.root,
    sandboxDir: terminal.sandbox_dir === "" ? home.at("sandboxes") : path.resolve(terminal.sandbox_dir),
    packagesDir: path.join(home.installRoot, "packages"),
    profile: home.profileName,
    logger,
    blocked,
    moreVariables,
    notice: (text) => machine.notice(text),
    watch: (pid) => guardian.watch(pid),
    subscription: createManagedGateway({ env, login: options.gatewayLogin }),
  };
}

/**
 * The chat the session is held in, and what loaded skills name, with the value it has for everybody or was typed in this
 * session; never a key of Hermes' own.
 */
function variablesOf({ env }: ToolsBase, variables: SessionVariables): Terminals["moreVariables"] {
  const own = new Set(knownCredentials());
  return ({ key, source, chat }) => {
    const named = variables.names(key).flatMap((name) => {
      const value = env[name];
      return value === undefined || own.has(name) ? [] : [[name, value] as const];
    });
    return { ...chatVariables(source, chat), ...Object.fromEntries(named), ...variables.typed(key) };
  };
}

/** Programs learn from their own environment where they were asked for; that of this process says nothing of any chat. */
function chatVariables(source: string, chat: SessionChat | undefined): Readonly<Record<string, string>> {
  if (chat === undefined) return {};
  return {
    HERMES_SESSION_PLATFORM: source,
    HERMES_SESSION_KEY: chat.key,
    HERMES_SESSION_CHAT_ID: chat.id,
    HERMES_SESSION_CHAT_NAME: chat.name ?? "",
    HERMES_SESSION_THREAD_ID: chat.threadId ?? "",
    HERMES_SESSION_USER_ID: chat.userId ?? "",
    HERMES_SESSION_USER_NAME: chat.userName ?? "",
  };
}

/** What holds programs inside here; looked for when something first runs, because that starts a program. */
function openWalls(
  { machine, config, env, scope }: ToolsBase,
  { guardian, permissions }: { readonly guardian: Guardian; readonly permissions: Permissions },
): Walls {
  const { home, userHome, logger } = machine;
  const { terminal, security } = config;
  const own = subprocessHome(home.root);
  const registries = scope.adopt(new KnownRegistries(ownEnvironment(env, [machine.cwd, tmpdir()])));
  return scope.adopt(
    new Walls({
      mode: terminal.sandbox,
      env,
      home: userHome,
      hermesHome: home.installRoot,
      hermesReadable: [home.skills, home.cache, home.images, home.pastes],
      hermesWritable: own === undefined ? [] : [own],
      tempDir: tmpdir(),
      cacheFolder: home.at("cache", "programs"),
      writable: security.writable_paths,
      masked: security.masked_paths,
      environment: terminal.env_passthrough,
      network: { mode: terminal.network, allow: terminal.network_allow, deny: terminal.network_deny },
      rules: (owner) => permissions.forWall(owner),
      registries,
      remember: (to) => rememberHost(machine, to),
      upstream: proxyFromEnv(env),
      logger,
      onNotice: (text) => machine.notice(text),
      watch: (pid) => guardian.watch(pid),
    }),
  );
}

/** An answer for good is a line in the settings; where that cannot be written, it counts for this run and that is said. */
async function rememberHost({ home, env, notice }: Machine, { host, port }: Destination): Promise<void> {
  const entry = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const append = async (): Promise<void> => {
    const { config } = await loadConfig({ home, env, rememberGood: false });
    const kept = config.terminal.network_allow;
    if (kept.includes(entry)) return;
    await changeSetting("terminal.network_allow", JSON.stringify([...kept, entry]), { home, env });
  };
  try {
    await withFileLock(home.at("network_allow.lock"), append, { signal: never });
  } catch (error) {
    notice(`${entry} is allowed for this run only, because it could not be saved: ${describe(error)}`);
  }
}

/** An empty variable counts as the password; an empty setting means that there is none. */
function sudoOf({ machine, config, env }: ToolsBase): SudoPasswords {
  const configured = config.terminal.sudo_password;
  const isSet = !configured.isEmpty || env["SUDO_PASSWORD"] !== undefined;
  return new SudoPasswords({ clock: machine.clock, ...(isSet ? { configured } : {}) });
}

/**
 * What no command inherits: every credential Hermes knows by name, and whatever looks like one and was
 * given to Hermes in a file. A credential of the person's own shell that Hermes has no use for stays.
 */
export function blockedVariables({ secrets }: LoadedConfig): readonly string[] {
  const names = secrets.all().map(({ name }) => name);
  return [...new Set([...knownCredentials(), ...names.filter((name) => secrets.originOf(name) !== "shell")])];
}

function knownCredentials(): readonly string[] {
  return environmentVariables.filter((variable) => variable.kind === "secret").map(({ name }) => name);
}

import { statSync } from "node:fs";
import path from "node:path";
import type { Logger } from "#foundation/files/logger";
import type { Availability } from "../tool.ts";
import type { EnvironmentPolicy } from "./environment-variables.ts";
import type { Guardian } from "./guardian.ts";
import type { TerminalOverrides } from "./lease.ts";
import { openLocalTerminal } from "./local/local-terminal.ts";
import type { Sandbox } from "./sandbox.ts";
import type { Terminal, TerminalKind } from "./terminal.ts";

/** Makes the terminal of a task; each kind of terminal brings one. */
export type TerminalOpener = (taskId: string, overrides: TerminalOverrides, signal: AbortSignal) => Promise<Terminal>;

export type TerminalOpeners = Partial<Readonly<Record<TerminalKind, TerminalOpener>>>;

const terminalKinds: readonly TerminalKind[] = ["local", "docker", "ssh", "singularity", "modal", "daytona"];

/** The kind a setting names; undefined for a word that names none. */
export function readTerminalKind(value: string): TerminalKind | undefined {
  return terminalKinds.find((kind) => kind === value.trim().toLowerCase());
}

/** Whether `terminal.backend` can be used, for listings. */
export function terminalAvailability(backend: string, openers: TerminalOpeners): Availability {
  const kind = readTerminalKind(backend);
  if (kind === undefined) return { reason: `terminal.backend is "${backend}"; it can be ${terminalKinds.join(", ")}` };
  return openers[kind] === undefined ? { reason: `the ${kind} terminal is not available in this build` } : true;
}

export interface LocalOpenerDeps {
  /** Where sessions start. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly environment: EnvironmentPolicy;
  readonly hermesHome: string;
  readonly logger: Logger;
  readonly guardian: Guardian;
  /** Found once, at first use; its notice is for whoever shows notices. */
  sandbox(signal: AbortSignal): Promise<Sandbox>;
  readonly shellInitFiles?: readonly string[];
  readonly autoSourceBashrc?: boolean;
  /** `terminal.persistent_shell`. */
  readonly keepsState?: boolean;
}

/** Terminals on this machine: confined where that works, their children in the guardian's care. */
export function localOpener(deps: LocalOpenerDeps): TerminalOpener {
  return async (taskId, overrides, signal) => {
    const sandbox = await deps.sandbox(signal);
    const home = subprocessHome(deps.hermesHome) ?? deps.environment.home;
    return openLocalTerminal(
      {
        taskId,
        cwd: overrides.cwd ?? deps.cwd,
        env: deps.env,
        environment: {
          ...deps.environment,
          ...(home === undefined ? {} : { home }),
          extra: { ...deps.environment.extra, ...deps.guardian.mark },
        },
        logger: deps.logger,
        watch: (pid) => deps.guardian.watch(pid),
        ...(sandbox.kind === "confined" ? { sandbox: sandbox.confine } : {}),
        ...(deps.shellInitFiles === undefined ? {} : { shellInitFiles: deps.shellInitFiles }),
        ...(deps.autoSourceBashrc === undefined ? {} : { autoSourceBashrc: deps.autoSourceBashrc }),
        ...(deps.keepsState === undefined ? {} : { keepsState: deps.keepsState }),
      },
      signal,
    );
  };
}

/** A profile may have a home of its own for the programs it runs. */
export function subprocessHome(hermesHome: string): string | undefined {
  const folder = path.join(hermesHome, "home");
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? folder : undefined;
}

import { statSync } from "node:fs";
import path from "node:path";
import { defined } from "#foundation/defined";
import type { Logger } from "#foundation/files/logger";
import type { SessionScope } from "../contract/session-scope.ts";
import type { BuiltinTerminalKind, TerminalOpener } from "../contract/terminal.ts";
import type { Availability } from "../contract/tool.ts";
import type { EnvironmentPolicy } from "./environment-variables.ts";
import type { Guardian } from "./guardian.ts";
import type { TerminalWall } from "./local/local-terminal.ts";
import type { SpareTimes } from "./local/spare-shell.ts";

export type TerminalOpeners = Readonly<Record<string, TerminalOpener | undefined>>;

const terminalKinds: readonly BuiltinTerminalKind[] = ["local", "docker", "ssh", "singularity", "modal", "daytona"];

/** The kind a setting names; undefined for a word that names none. */
export function readTerminalKind(value: string): BuiltinTerminalKind | undefined {
  return terminalKinds.find((kind) => kind === value.trim().toLowerCase());
}

/** Whether this kind of terminal can be used, for listings. */
export function terminalAvailability(wanted: string, openers: TerminalOpeners): Availability {
  const kind = readTerminalKind(wanted) ?? wanted;
  if (openers[kind] !== undefined) return true;
  if (readTerminalKind(kind) !== undefined) return { reason: `the ${kind} terminal is not available in this build` };
  return { reason: `terminal.backend is "${wanted}"; it can be ${terminalKinds.join(", ")}` };
}

export interface LocalOpenerDeps {
  readonly env: NodeJS.ProcessEnv;
  readonly environment: EnvironmentPolicy;
  /** What commands of a session see besides. */
  moreVariables?(scope: SessionScope): Readonly<Record<string, string>>;
  readonly hermesHome: string;
  readonly logger: Logger;
  readonly guardian: Guardian;
  /** What holds the programs of a session inside; opened at first use. */
  wall(scope: SessionScope, signal: AbortSignal): Promise<TerminalWall>;
  readonly shellInitFiles?: readonly string[];
  readonly autoSourceBashrc?: boolean;
  /** `terminal.persistent_shell`. */
  readonly keepsState?: boolean;
}

/** A model takes longer than that to answer, and seldom longer than that between two commands. */
export const spareTimes: SpareTimes = { delayMs: 40, idleMs: 60_000 };

/** Terminals on this machine: confined where that works, their children in the guardian's care. */
export function localOpener(deps: LocalOpenerDeps): TerminalOpener {
  return async ({ taskId, scope }, signal) => {
    const wall = await deps.wall(scope, signal);
    const home = scope.terminal.home ?? subprocessHome(deps.hermesHome) ?? deps.environment.home;
    const { openLocalTerminal } = await import("./local/local-terminal.ts");
    return openLocalTerminal(
      {
        taskId,
        cwd: scope.terminal.cwd ?? scope.cwd,
        env: deps.env,
        environment: {
          ...deps.environment,
          ...defined({ home }),
          extra: { ...deps.environment.extra, ...deps.guardian.mark },
        },
        moreVariables: () => deps.moreVariables?.(scope) ?? {},
        logger: deps.logger,
        watch: (pid) => deps.guardian.watch(pid),
        wall,
        spareTimes,
        ...defined({
          shellInitFiles: deps.shellInitFiles,
          autoSourceBashrc: deps.autoSourceBashrc,
          keepsState: deps.keepsState,
        }),
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

import type { Config } from "#config";
import type { Logger } from "#foundation/files/logger";
import type { Secret } from "#foundation/secrets/secret";
import type { SessionScope, ToolTask } from "../../contract/session-scope.ts";
import type { RemoteTerminalOptions } from "./remote-terminal.ts";

/** What every backend is made from; one line in `open-backends.ts` each. */
export interface BackendDeps {
  readonly settings: Config["terminal"];
  /** Our own variables, `.env` files included. */
  readonly env: NodeJS.ProcessEnv;
  /** What clients on this machine see: no credential of Hermes. */
  readonly clientEnvironment: Readonly<Record<string, string>>;
  /** The home of Hermes here. */
  readonly hermesHome: string;
  /** Where files of terminals are kept on this machine. */
  readonly sandboxDir: string;
  /** Where clients of services are installed when they are first used. */
  readonly packagesDir: string;
  /** The name of the profile, for labels. */
  readonly profile: string;
  readonly logger: Logger;
  /** Names that reach no terminal. */
  readonly blocked: readonly string[];
  /** What commands of a session see besides. */
  moreVariables(scope: SessionScope): Readonly<Record<string, string>>;
  /** Said to the person, once. */
  notice(text: string): void;
  watch(pid: number): Disposable;
  /** The way to a service that the subscription pays for; undefined where it cannot be used. */
  subscription?(
    vendor: "modal",
    signal: AbortSignal,
  ): Promise<{ readonly origin: string; readonly token: Secret } | undefined>;
}

/** A name for folders and labels: no separators, never empty, never two for one. */
export function safeName(taskId: string): string {
  const safe = taskId.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 80);
  return safe === "" ? "_" : safe;
}

/** Where commands begin in a container: a path of this machine means nothing there. */
export function containerCwd(
  choice: { readonly own: string | undefined; readonly configured: string; readonly fallback: string },
  logger: Logger,
): string {
  if (choice.own !== undefined) return choice.own;
  const { configured, fallback } = choice;
  if (configured === "." || configured === "") return fallback;
  if (configured.startsWith("/") && !/^\/(?:Users|home)\//.test(configured)) return configured;
  logger.info("terminal.cwd names a folder of this machine; the terminal begins elsewhere", { configured, fallback });
  return fallback;
}

/** How the terminal of a task is opened on a machine elsewhere, by the settings alone. */
export function terminalOptions(
  deps: BackendDeps,
  { taskId, scope }: ToolTask,
  at: { readonly id: string; readonly cwd: string },
): RemoteTerminalOptions {
  const { settings, blocked, logger } = deps;
  return {
    ...at,
    taskId,
    variables: forwarded(settings.env_passthrough, deps, false),
    moreVariables: () => deps.moreVariables(scope),
    blocked,
    passthrough: settings.env_passthrough,
    logger,
    keepsState: settings.persistent_shell,
  };
}

/** Variables a person named for terminals elsewhere, with the values they have here. */
export function forwarded(
  names: readonly string[],
  { env, blocked }: Pick<BackendDeps, "env" | "blocked">,
  isExplicit: boolean,
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name];
      return value === undefined || (!isExplicit && blocked.includes(name)) ? [] : [[name, value] as const];
    }),
  );
}

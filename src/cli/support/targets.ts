import { homedir } from "node:os";
import type { Hermes } from "#app";
import type { Deliverer } from "#cron";
import { systemClock } from "#foundation/time/clock";
import type { Tool } from "#tools";

export interface Targets {
  readonly deliverer: Deliverer;
  readonly tool: Tool;
  /** Sends what is owed, where no gateway does. */
  sendOwed(signal: AbortSignal): Promise<void>;
}

/** How this process reaches chats of connected platforms: for jobs, and as a tool of the model. What it owes there the gateway sends, or, where none runs, this process. */
export async function targetsOf(
  hermes: Hermes,
  { env, cwd }: { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
): Promise<Targets> {
  const { openTargets, enabledPlatforms, sendOwed, visit } = await import("#gateway");
  const { store, home, logger, loaded } = hermes;
  const variables = loaded.environment.variables;
  const visitor = { config: loaded.config, store, env: variables, home, clock: systemClock, logger };
  const platforms = await enabledPlatforms(loaded.config);
  const userHome = env["HOME"] ?? homedir();
  const targets = openTargets({
    config: loaded.config,
    configNow: () => Promise.resolve(loaded.config),
    store,
    platforms,
    home,
    userHome,
    cwd,
    clock: systemClock,
    logger,
    visit: (platform, signal) => visit(platform, visitor, signal),
  });
  return { ...targets, sendOwed: (signal) => sendOwed(platforms, visitor, signal) };
}

/** Offers the model to write into chats, where a platform is connected; without one nothing of that is loaded. */
export async function offerSending(
  hermes: Hermes,
  at: { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
): Promise<Disposable | undefined> {
  const connections = Object.values(hermes.loaded.config.platforms);
  if (!connections.some(({ enabled, token }) => enabled ?? !token.isEmpty)) return undefined;
  return hermes.toolbox.register((await targetsOf(hermes, at)).tool);
}

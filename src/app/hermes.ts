import { ChildTable, createDelegateTool, ensureSoul, memoryTool, recallTool } from "#agent";
import { type LoadedConfig, type MachineOptions, openMachine } from "#config";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import { quietly } from "#foundation/files/quietly";
import { never } from "#foundation/lifecycle/abort";
import { Scope } from "#foundation/lifecycle/disposal";
import { type Models, NousGuard, nousGate, openModels, RateLimitBook } from "#model";
import { Plugins } from "#plugins";
import { builtinCommands, createSessionSearchTool, createSessionService, type SessionService } from "#session";
import { openStore, type Store } from "#store";
import { blockedVariables, childEnvironment, openTools, SurfaceTools, type Toolbox } from "#tools";
import { delegationSettings } from "./agent/children.ts";
import { createOpenAgent } from "./agent/open-agent.ts";
import { openSkills, type Skills } from "./agent/open-skills.ts";
import type { SharedParts } from "./agent/shared-parts.ts";
import { Books } from "./books.ts";
import { packageFolder } from "./package-folder.ts";
import { saveModel, sessionSettings, storePlace } from "./preferences.ts";
import { savedSettings } from "./saved-settings.ts";
import { copyShippedSkills } from "./shipped-skills.ts";

export interface HermesOptions extends MachineOptions {
  readonly yolo?: boolean;
  readonly acceptHooks?: boolean;
  /** Nothing is kept beyond this process. */
  readonly isIncognito?: boolean;
  /** May this command of `hooks` run at this event? Without anybody to ask the answer is no. */
  confirmHook?(event: string, command: string, signal: AbortSignal): Promise<boolean>;
}

/** The whole of Hermes, opened from the configuration; disposed in reverse. */
export interface Hermes extends AsyncDisposable {
  readonly loaded: LoadedConfig;
  readonly home: HermesHome;
  readonly logger: Logger;
  readonly store: Store;
  readonly models: Models;
  readonly toolbox: Toolbox;
  readonly plugins: Plugins;
  readonly skills: Skills;
  readonly sessions: SessionService;
}

export async function openHermes(options: HermesOptions): Promise<Hermes> {
  const scope = new Scope();
  try {
    return await assemble(options, scope);
  } catch (error) {
    await scope[Symbol.asyncDispose]();
    throw error;
  }
}

async function assemble(options: HermesOptions, scope: Scope): Promise<Hermes> {
  const machine = scope.adopt(await openMachine(options));
  const { home, loaded, env, userHome, version, clock, logger, redactor } = machine;
  const models = scope.adopt(await openModels(machine));
  const plugins = new Plugins(machine, {
    builtinCommands: new Set(builtinCommands.flatMap(({ name, aliases = [] }) => [name, ...aliases])),
    bundled: packageFolder("plugins"),
    acceptHooks: options.acceptHooks,
    confirmHook: options.confirmHook,
  });
  const store = scope.adopt(
    await openStore(options.isIncognito === true ? { memory: true } : storePlace(loaded, home), { clock, log: logger }),
  );
  const books = scope.adopt(new Books(store, logger));
  const toolbox = scope.adopt(
    openTools(machine, {
      yolo: options.yolo,
      gatewayLogin: (signal) => models.subscription(signal),
      extensions: (sessions) => plugins.extensions(sessions),
    }),
  );
  scope.adopt(plugins);
  await plugins.load(toolbox, never);
  if (options.isIncognito !== true) await quietly("writing the first SOUL.md", () => ensureSoul(home.soul), { logger });
  await copyShippedSkills({ folder: packageFolder("skills"), version, home, logger });
  const skills = openSkills({
    loaded,
    home,
    clock,
    logger,
    env,
    redactor,
    variables: toolbox.variables,
    pluginSkills: () => plugins.skills,
  });
  const delegateTool = createDelegateTool({ settings: delegationSettings(loaded.config) });
  for (const tool of [
    memoryTool,
    createSessionSearchTool({ store, logger }),
    recallTool,
    delegateTool,
    ...skills.tools,
  ])
    scope.adopt(toolbox.register(tool));
  const children = scope.adopt(
    new ChildTable({ clock, logger, maxTotalChildren: loaded.config.delegation.max_total_children }),
  );
  const shared = { loaded, home, userHome, clock, logger, models, store, toolbox, plugins, skills, children, books };
  const sessions = scope.adopt(openSessions(shared, options));
  return {
    loaded,
    home,
    logger,
    store,
    models,
    toolbox,
    plugins,
    skills,
    sessions,
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

type Shared = Pick<
  SharedParts,
  | "loaded"
  | "home"
  | "userHome"
  | "clock"
  | "logger"
  | "models"
  | "store"
  | "toolbox"
  | "plugins"
  | "skills"
  | "children"
  | "books"
>;

/** The service every surface talks to, over all that was opened. */
function openSessions(shared: Shared, { env, version }: Pick<HermesOptions, "env" | "version">): SessionService {
  const { loaded, home, clock, logger, store, toolbox, plugins } = shared;
  return createSessionService({
    store,
    clock,
    logger,
    home,
    version,
    settings: sessionSettings(loaded),
    preferences: savedSettings(loaded, home, env),
    plugins: () => plugins.list,
    skillUse: async () => [...(await shared.skills.usage.all())].map(([name, use]) => ({ name, ...use })),
    pluginCommands: () => plugins.commands.map((command) => ({ ...command, description: command.description ?? "" })),
    redact: (text) => toolbox.redact(text),
    env: childEnvironment(loaded.environment.variables, {
      policy: "inherit",
      passthrough: loaded.config.terminal.env_passthrough,
      blocked: blockedVariables(loaded),
    }),
    openAgent: createOpenAgent({
      ...shared,
      accountGate: nousGate(new NousGuard(home.nousRateLimit, clock)),
      rateLimits: new RateLimitBook(),
      surfaceTools: new SurfaceTools({ loaded, home, env, toolbox }),
      saveModel: (target) => saveModel(target, { loaded, home, env }),
    }),
  });
}

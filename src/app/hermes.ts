import path from "node:path";
import { ChildTable, createDelegateTool, delegationSettings, ensureSoul, memoryTool, recallTool } from "#agent";
import { type LoadedConfig, type Machine, type MachineOptions, openMachine } from "#config";
import type { MoneyLedger } from "#conversation";
import { answerCronLine, type CronJobs, cronTool, type Scheduler } from "#cron";
import type { Trainings } from "#environments";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import { quietly } from "#foundation/files/quietly";
import { never } from "#foundation/lifecycle/abort";
import { Scope } from "#foundation/lifecycle/disposal";
import { type Models, openModels } from "#model";
import { Plugins, turnHooks } from "#plugins";
import { createSessionSearchTool, openSessions, type SessionService } from "#session";
import { copyShippedSkills } from "#skills";
import { openSealer, openStore, type SealingSettings, type Store, type StoreLocation } from "#store";
import { blockedVariables, childEnvironment, openTools, type Tool, type Toolbox } from "#tools";
import { openJobs } from "./open-cron.ts";
import type { SchedulerOptions } from "./open-scheduler.ts";
import { openSkills, type Skills, type SkillsOptions } from "./open-skills.ts";
import { openTraces } from "./open-traces.ts";
import { packageFolder } from "./package-folder.ts";

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
  /** The settings as they are saved now. */
  settingsNow(): Promise<LoadedConfig>;
  readonly home: HermesHome;
  readonly logger: Logger;
  readonly store: Store;
  readonly models: Models;
  readonly toolbox: Toolbox;
  readonly plugins: Plugins;
  readonly skills: Skills;
  readonly sessions: SessionService;
  /** Scheduled jobs, as the owner of the home has them. */
  readonly jobs: CronJobs;
  /** What runs them when they are due. */
  scheduler(options: SchedulerOptions): Promise<Scheduler>;
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
  const { home, loaded, clock, logger } = machine;
  /** For one part of the program: its lines in the log say so. */
  const at = (component: string): Machine => ({ ...machine, logger: logger.child({ component }) });
  const plugins = new Plugins(machine, pluginOptions(options));
  const location = options.isIncognito === true ? { memory: true as const } : storeLocation(loaded, home);
  const sealer = await openSealer(sealingOf(loaded, home));
  const store = scope.adopt(await openStore(location, { clock, log: at("store").logger, sealer }));
  const models = scope.adopt(await openModels(at("model"), await ledgerOf(options, { machine, store, scope })));
  const toolbox = scope.adopt(
    openTools(at("tools"), {
      yolo: options.yolo,
      gatewayLogin: (signal) => models.subscription(signal),
      spotify: models.spotify,
      training: openTrainings(machine),
      extensions: (sessions) => plugins.extensions(sessions),
    }),
  );
  scope.adopt(plugins);
  await plugins.load(toolbox, never);
  if (options.isIncognito !== true) await quietly("writing the first SOUL.md", () => ensureSoul(home.soul), { logger });
  let inherited: NodeJS.ProcessEnv | undefined;
  const commandEnvironment = (): NodeJS.ProcessEnv => {
    inherited ??= environmentOfCommands(loaded);
    return inherited;
  };
  const skills = await skillsOf(machine, { toolbox, plugins, commandEnvironment });
  for (const tool of [...agentTools(loaded, { store, logger }), ...skills.tools]) scope.adopt(toolbox.register(tool));
  const jobs = openJobs(at("cron"), store);
  scope.adopt(toolbox.register(cronTool({ store, jobs })));
  const { max_total_children: maxTotalChildren } = loaded.config.delegation;
  const children = scope.adopt(new ChildTable({ clock, logger, maxTotalChildren }));
  const traces = await openTraces(machine, (text) => toolbox.redact(text));
  if (traces !== undefined) scope.adopt(traces);
  const sessions = scope.adopt(
    openSessions({
      machine: at("agent"),
      store,
      models,
      skills,
      children,
      traces,
      tools: toolbox,
      commandEnvironment,
      plugins: pluginsOf(plugins),
      answerCron: (line, session) => answerCronLine({ jobs, store }, line, session),
    }),
  );
  const scheduled = { jobs, store, sessions, redact: (text: string) => toolbox.redact(text) };
  return {
    loaded,
    settingsNow: () => machine.settingsNow(),
    home,
    logger,
    store,
    models,
    toolbox,
    plugins,
    skills,
    sessions,
    jobs,
    scheduler: async (wanted) => {
      const { openScheduler } = await import("./open-scheduler.ts");
      return openScheduler(at("cron"), { ...scheduled, commandEnvironment: commandEnvironment() }, wanted);
    },
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

function pluginOptions({ acceptHooks, confirmHook }: HermesOptions) {
  const builtinCommands = async () => {
    const { builtinCommands: commands } = await import("#session");
    return new Set(commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  };
  return { builtinCommands, bundled: packageFolder("plugins"), acceptHooks, confirmHook };
}

/** The skills of the home, those that ship with the program copied there first. */
async function skillsOf(
  machine: Machine,
  parts: Pick<Hermes, "toolbox" | "plugins"> & Pick<SkillsOptions, "commandEnvironment">,
): Promise<Skills> {
  const { toolbox, plugins, commandEnvironment } = parts;
  const { home, loaded, env, version, clock, logger, redactor, userHome } = machine;
  const shippedFolder = packageFolder("skills");
  await copyShippedSkills({ folder: shippedFolder, version, home, logger });
  return openSkills({
    loaded,
    home,
    clock,
    logger,
    env,
    redactor,
    variables: toolbox.variables,
    wall: (of, signal) => toolbox.wall(of, signal),
    commandEnvironment,
    pluginSkills: () => plugins.skills,
    userHome,
    shippedFolder,
  });
}

/** Tools that stand beside what they expose, above the other tools. */
function agentTools({ config }: LoadedConfig, stored: Pick<Hermes, "store" | "logger">): readonly Tool[] {
  const search = createSessionSearchTool({ ...stored, seesAll: config.session_search.scope === "all" });
  return [memoryTool, search, recallTool, createDelegateTool(delegationSettings(config))];
}

/** What nobody keeps costs money all the same: limits of a day count it where every process of the home does. */
async function ledgerOf(
  { isIncognito }: HermesOptions,
  { machine, store, scope }: { readonly machine: Machine; readonly store: Store; readonly scope: Scope },
): Promise<MoneyLedger> {
  const { loaded, home, clock, logger } = machine;
  const { daily_usd, user_daily_usd } = loaded.config.budget;
  if (isIncognito !== true || (daily_usd === undefined && user_daily_usd === undefined)) return store.money;
  return scope.adopt(await openStore(storeLocation(loaded, home), { clock, log: logger })).money;
}

/** PostgreSQL where an address is set, else the home's own file. */
function storeLocation({ config }: LoadedConfig, home: HermesHome): StoreLocation {
  const url = config.store.url.reveal();
  return url === "" ? { path: home.stateDb } : { url };
}

function sealingOf({ config }: LoadedConfig, home: HermesHome): SealingSettings {
  const { encrypt_at_rest: isOn, encryption_key_file: keyFile } = config.gateway;
  return { isOn, keyFile, usualKeyFile: home.gatewayKey, isShared: !config.store.url.isEmpty };
}

/** Loaded when the first `rl_…` tool is called; training runs are processes of this very program. */
function openTrainings(machine: Machine): () => Promise<Trainings> {
  const program = [process.execPath, packageFolder(path.join("dist", "cli", "main.js")) ?? "hermes"];
  let steps: Promise<Trainings> | undefined;
  return () => {
    steps ??= import("#environments").then((module) => new module.Trainings(machine, program));
    return steps;
  };
}

function environmentOfCommands(loaded: LoadedConfig): NodeJS.ProcessEnv {
  return childEnvironment(loaded.environment.variables, {
    policy: "inherit",
    passthrough: loaded.config.terminal.env_passthrough,
    blocked: blockedVariables(loaded),
  });
}

/** What plugins bring for agents and sessions. */
function pluginsOf(plugins: Plugins): Parameters<typeof openSessions>[0]["plugins"] {
  return {
    turnHooks: ({ key, source }) => turnHooks(plugins.hooksFor(key), source),
    childStopped: ({ key }, stop) => plugins.hooksFor(key).notify("subagent_stop", stop, never),
    sessionEvent: (event, { key, sessionId, source }) =>
      plugins.hooksFor(key).notify(event, { session_id: sessionId, platform: source }, never),
    memoryProviders: () => plugins.memoryProviders,
    contextEngines: () => plugins.contextEngines,
    list: () => plugins.list,
    commands: () => plugins.commands.map((command) => ({ ...command, description: command.description ?? "" })),
  };
}

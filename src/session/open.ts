import type { AgentHost, AgentPlugins, ChildTable } from "#agent";
import type { Machine } from "#config";
import { type Models, NousGuard, nousGate, RateLimitLedger } from "#model";
import type { SkillHub, SkillLibrary, SkillLoader, SkillUsage } from "#skills";
import type { Store } from "#store";
import { SurfaceTools, type Toolbox } from "#tools";
import type { SessionService } from "./api.ts";
import type { PluginCommand } from "./plugin-command.ts";
import { createOpenAgent } from "./services/open-agent.ts";
import { savedPreferences } from "./services/preferences.ts";
import type { SessionDeps } from "./session-deps.ts";
import { createSessionService } from "./session-service.ts";
import { sessionSettings } from "./settings.ts";
import { storedRecords } from "./turns/agent-records.ts";

/** What was opened before, for all sessions of a process. */
export interface SessionsOptions {
  readonly machine: Machine;
  readonly store: Store;
  readonly models: Models;
  readonly tools: Toolbox;
  /** The environment of commands a person wrote, without the keys of Hermes. */
  commandEnvironment(): NodeJS.ProcessEnv;
  readonly plugins: AgentPlugins & {
    commands(): readonly PluginCommand[];
    sessionEvent: SessionDeps["notifyPlugins"];
    list(): readonly { readonly name: string; readonly version: string; readonly state: string }[];
  };
  readonly skills: {
    readonly library: SkillLibrary;
    readonly loader: SkillLoader;
    readonly usage: SkillUsage;
    hub(cwd: string): Promise<SkillHub>;
  };
  readonly children: ChildTable;
  readonly traces?: SessionDeps["traces"];
  answerCron: SessionDeps["answerCron"];
}

/** The service every surface talks to. */
export function openSessions(options: SessionsOptions): SessionService {
  const { machine, store, models, tools, plugins, skills, children } = options;
  const { clock, logger, home, version, loaded } = machine;
  const records = storedRecords(store, clock, logger);
  const shared: Omit<AgentHost, "skills" | "tools"> = {
    machine,
    models,
    children,
    plugins,
    records,
    accountGate: nousGate(new NousGuard(home.nousRateLimit, clock)),
    rateLimits: new RateLimitLedger(),
  };
  const service = createSessionService({
    store,
    clock,
    logger,
    home,
    version,
    settings: sessionSettings(loaded.config),
    preferences: savedPreferences(machine),
    env: () => options.commandEnvironment(),
    redact: (text) => tools.redact(text),
    redactKnown: loaded.config.security.redact_secrets ? (text) => machine.redactor.redactKnown(text) : (text) => text,
    traces: options.traces,
    plugins: () => plugins.list(),
    pluginCommands: () => plugins.commands(),
    notifyPlugins: (event, session) => plugins.sessionEvent(event, session),
    answerCron: (line, session) => options.answerCron(line, session),
    skillUse: async () => [...(await skills.usage.all())].map(([name, use]) => ({ name, ...use })),
    openAgent: createOpenAgent({
      ...shared,
      tools,
      skills,
      surfaceTools: new SurfaceTools({ ...machine, toolbox: tools }),
    }),
  });
  return {
    ...service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await records[Symbol.asyncDispose]();
    },
  };
}

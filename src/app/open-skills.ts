import { accessSync, constants } from "node:fs";
import path from "node:path";
import { type Config, type LoadedConfig, writeSecret } from "#config";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import type { Redactor } from "#foundation/secrets/redact";
import type { Clock } from "#foundation/time/clock";
import {
  createInlineShell,
  createSkillTools,
  HubLock,
  type PluginSkillLocation,
  SkillEditor,
  type SkillHub,
  SkillLibrary,
  SkillLoader,
  SkillTrash,
  SkillUsage,
  type TypedSecret,
} from "#skills";
import type { SessionVariables, Tool, Toolbox } from "#tools";

export interface SkillsOptions {
  readonly loaded: LoadedConfig;
  readonly home: HermesHome;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly variables: SessionVariables;
  pluginSkills(): readonly PluginSkillLocation[];
  readonly wall: Toolbox["wall"];
  /** What commands inherit: no secrets. */
  commandEnvironment(): NodeJS.ProcessEnv;
  /** The environment of the process, to write settings by. */
  readonly env: NodeJS.ProcessEnv;
  readonly redactor: Redactor;
  readonly userHome: string;
  /** Skills that came with the program. */
  readonly shippedFolder: string | undefined;
}

/** The skills of a home, ready to be listed, loaded and edited. */
export interface Skills {
  readonly library: SkillLibrary;
  readonly loader: SkillLoader;
  readonly usage: SkillUsage;
  readonly tools: readonly Tool[];
  /** Where other skills come from, for somebody in this folder. */
  hub(cwd: string): Promise<SkillHub>;
}

export function openSkills(options: SkillsOptions): Skills {
  const { loaded, home, clock, logger, variables } = options;
  const { config, environment } = loaded;
  const env = environment.variables;
  const library = new SkillLibrary({
    home,
    settings: () => settingsOf(config),
    env,
    logger,
    pluginSkills: () => options.pluginSkills(),
  });
  const usage = new SkillUsage(home, { clock, logger });
  const lock = new HubLock(home, clock);
  const loader = new SkillLoader({
    library,
    setup: {
      home,
      isSet: (name) => (env[name] ?? "") !== "",
      hasCommand: (name) => isOnPath(name, env),
    },
    variables,
    keepSecret: (typed, signal) => keepSecret(typed, options, signal),
    usage,
    logger,
    options: () => ({
      hasTemplateVars: config.skills.template_vars,
      hasInlineShell: config.skills.inline_shell,
      config: config.skills.config,
    }),
    inlineShell: createInlineShell({
      env: options.commandEnvironment,
      timeoutMs: config.skills.inline_shell_timeout * 1000,
      wall: options.wall,
    }),
    isUntrusted: (skill) => lock.isUntrusted(skill.folder),
  });
  const editor = new SkillEditor({
    home,
    library,
    trash: new SkillTrash(home, clock),
    usage,
    isGuarded: () => config.skills.guard_agent_created,
  });
  return {
    usage,
    library,
    loader,
    tools: createSkillTools({ library, loader, editor }),
    hub: async (cwd) => {
      const { userHome, shippedFolder } = options;
      const { openHub } = await import("#skills");
      return openHub({ home, clock, library, env, cwd, userHome, shippedFolder });
    },
  };
}

/** Out of everything that is shown, and in `.env` for later, where it is the owner's; a guest's ends with the session. */
async function keepSecret({ scope, variable, value }: TypedSecret, options: SkillsOptions, signal: AbortSignal) {
  const { redactor, home, env } = options;
  redactor.add(value, variable);
  if (scope.userId === undefined) await writeSecret(variable, value, { home, env, signal });
}

function settingsOf({ skills }: Config) {
  return { externalDirs: skills.external_dirs, disabled: skills.disabled, platformDisabled: skills.platform_disabled };
}

function isOnPath(name: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return (env["PATH"] ?? "").split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, name), constants.X_OK);
      return folder !== "";
    } catch {
      return false;
    }
  });
}

import { accessSync, constants } from "node:fs";
import path from "node:path";
import type { Config, LoadedConfig } from "#config";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import type { Clock } from "#foundation/time/clock";
import {
  createInlineShell,
  createSkillTools,
  HubLock,
  type PluginSkillPlace,
  SkillEditor,
  SkillLibrary,
  SkillLoader,
  type SkillPassthrough,
  SkillTrash,
  SkillUsage,
} from "#skills";
import type { Tool } from "#tools";

export interface SkillsOptions {
  readonly loaded: LoadedConfig;
  readonly home: HermesHome;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly passthrough: SkillPassthrough;
  pluginSkills(): readonly PluginSkillPlace[];
  /** A value for a variable, asked where nobody sees it; false when the person skipped it, undefined without a person. */
  askSecret?(variable: string, prompt: string, signal: AbortSignal): Promise<boolean | undefined>;
}

/** The skills of a home, ready to be listed, loaded and edited. */
export interface Skills {
  readonly library: SkillLibrary;
  readonly loader: SkillLoader;
  readonly passthrough: SkillPassthrough;
  readonly tools: readonly Tool[];
}

export function openSkills(options: SkillsOptions): Skills {
  const { loaded, home, clock, logger, passthrough, askSecret } = options;
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
      ...(askSecret === undefined
        ? {}
        : {
            askSecret: ({ skill, variable }, signal) =>
              askSecret(variable.name, variable.prompt ?? `${variable.name}, which the skill ${skill} needs`, signal),
          }),
    },
    passthrough,
    usage,
    logger,
    options: () => ({
      hasTemplateVars: config.skills.template_vars,
      hasInlineShell: config.skills.inline_shell,
      config: config.skills.config,
    }),
    inlineShell: createInlineShell({ env, timeoutMs: config.skills.inline_shell_timeout * 1000 }),
    isUntrusted: async (skill) => {
      const entry = [...(await lock.all()).values()].find(
        (one) => path.join(home.skills, one.installPath) === skill.folder,
      );
      return entry !== undefined && entry.trust !== "builtin" && entry.trust !== "trusted";
    },
  });
  const editor = new SkillEditor({
    home,
    library,
    trash: new SkillTrash(home, clock),
    usage,
    isGuarded: () => config.skills.guard_agent_created,
  });
  return { library, loader, passthrough, tools: createSkillTools({ library, loader, editor }) };
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

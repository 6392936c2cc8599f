import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { silentLogger } from "#foundation/files/logger";
import { systemClock } from "#foundation/time/clock";
import { copyShippedSkills, openHub, type SkillHub, SkillLibrary } from "#skills";
import type { Invocation } from "../command.ts";
import { version } from "../version.ts";
import { loadSettings, type Settings } from "./settings.ts";

export interface OpenSkillHub extends Settings {
  readonly hub: SkillHub;
  readonly library: SkillLibrary;
  /** Skills that came with the program. */
  readonly shippedFolder: string;
}

export async function openSkillHub(invocation: Invocation): Promise<OpenSkillHub> {
  const settings = await loadSettings(invocation, { isQuiet: true });
  const { home, loaded } = settings;
  const { config, environment } = loaded;
  const env = environment.variables;
  const clock = systemClock;
  const library = new SkillLibrary({
    home,
    settings: () => ({
      externalDirs: config.skills.external_dirs,
      disabled: config.skills.disabled,
      platformDisabled: config.skills.platform_disabled,
    }),
    env,
    logger: silentLogger,
    pluginSkills: () => [],
  });
  const shipped = shippedSkills();
  const userHome = env["HOME"] ?? homedir();
  const hub = openHub({ home, clock, library, env, cwd: invocation.io.cwd, userHome, shippedFolder: shipped });
  return { ...settings, hub, library, shippedFolder: shipped };
}

/** The same with the shipped skills in the home, as the first chat of a version puts them there: for commands that show what one has. */
export async function openOwnSkills(invocation: Invocation): Promise<OpenSkillHub> {
  const opened = await openSkillHub(invocation);
  const { home, shippedFolder: folder } = opened;
  await copyShippedSkills({ folder, version, home, logger: silentLogger });
  return opened;
}

/** `skills/` of the package: beside `dist/` when built, two folders up in the sources. */
export function shippedSkills(): string {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const candidates = ["../skills", "../../../skills", "../../skills"].map((step) => path.resolve(here, step));
  return candidates.find((folder) => existsSync(path.join(folder, "..", "package.json")) && existsSync(folder)) ?? "";
}

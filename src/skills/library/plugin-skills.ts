import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readTextFile } from "#foundation/files/files";
import { skillFileName } from "./discover.ts";
import type { InstalledSkill, PluginSkillLocation } from "./library.ts";
import { readSkillText } from "./skill.ts";

const pluginName = /^[A-Za-z0-9_-]+:[A-Za-z0-9_-]+$/;
const maxFileBytes = 1_048_576;

/** The skills of plugins. They are read-only and not in the prompt index; the plugin says when to use them. */
export async function readPluginSkills(locations: readonly PluginSkillLocation[]): Promise<readonly InstalledSkill[]> {
  const found = await Promise.all(locations.map(readOne));
  return found.flat();
}

async function readOne(location: PluginSkillLocation): Promise<readonly InstalledSkill[]> {
  if (!pluginName.test(location.name)) return [];
  const file = (await isFolder(location.path)) ? join(location.path, skillFileName) : location.path;
  const text = await readTextFile(file, { maxBytes: maxFileBytes });
  if (text === undefined) return [];
  const { facts } = await readSkillText(text, location.name.slice(location.name.indexOf(":") + 1));
  const described = location.description === undefined ? facts : { ...facts, description: location.description };
  return [
    {
      facts: described,
      name: location.name,
      category: basename(dirname(file)),
      folder: dirname(file),
      file,
      origin: "plugin",
    },
  ];
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}

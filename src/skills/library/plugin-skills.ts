import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readTextFile } from "#foundation/files/files";
import { skillFileName } from "./discover.ts";
import type { InstalledSkill, PluginSkillPlace } from "./library.ts";
import { readSkillText } from "./skill.ts";

const pluginName = /^[A-Za-z0-9_-]+:[A-Za-z0-9_-]+$/;
const maxFileBytes = 1_048_576;

/** The skills of plugins. They are read-only and not in the prompt index; the plugin says when to use them. */
export async function readPluginSkills(places: readonly PluginSkillPlace[]): Promise<readonly InstalledSkill[]> {
  const found = await Promise.all(places.map(readOne));
  return found.flat();
}

async function readOne(place: PluginSkillPlace): Promise<readonly InstalledSkill[]> {
  if (!pluginName.test(place.name)) return [];
  const file = (await isFolder(place.path)) ? join(place.path, skillFileName) : place.path;
  const text = await readTextFile(file, { maxBytes: maxFileBytes });
  if (text === undefined) return [];
  const { facts } = await readSkillText(text, place.name.slice(place.name.indexOf(":") + 1));
  const described = place.description === undefined ? facts : { ...facts, description: place.description };
  return [
    {
      facts: described,
      name: place.name,
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

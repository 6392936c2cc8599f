import { dirname, relative } from "node:path";
import { readTextFile } from "#foundation/files/files";
import { findSkillFiles } from "../../library/discover.ts";
import { readFolder } from "../../library/folders.ts";
import { readSkillText } from "../../library/skill.ts";
import { BundleFiles } from "../bundle.ts";
import { type HubEntry, type HubSource, matchesQuery } from "../source.ts";

/** The skills that came with this program: those copied on install, and further ones to choose from. */
export function officialSource(folders: readonly string[]): HubSource {
  const list = async (signal: AbortSignal): Promise<readonly (HubEntry & { readonly folder: string })[]> => {
    const found = await Promise.all(
      folders.map(async (path) => {
        const { skills } = await findSkillFiles([{ path, origin: "external" }], signal);
        return await Promise.all(skills.map((file) => entryOf(path, file.path)));
      }),
    );
    return found.flat();
  };
  return {
    id: "official",
    owns: (identifier) => identifier.startsWith("official/"),
    async search(query, { limit, signal }) {
      const all = await list(signal);
      return all.filter((one) => matchesQuery(query, [one.name, one.description, ...one.tags])).slice(0, limit);
    },
    async fetch(identifier, signal) {
      const found = (await list(signal)).find((one) => one.identifier === identifier);
      if (found === undefined) return undefined;
      const gathered = new BundleFiles();
      for (const [path, bytes] of await readFolder(found.folder)) gathered.add(path, bytes);
      const { folder: _folder, ...entry } = found;
      return { entry, files: gathered.files };
    },
  };
}

async function entryOf(root: string, file: string): Promise<HubEntry & { readonly folder: string }> {
  const folder = dirname(file);
  const text = (await readTextFile(file, { maxBytes: 1_048_576 })) ?? "";
  const { facts } = await readSkillText(text, relative(dirname(folder), folder));
  return {
    name: facts.name,
    description: facts.description,
    source: "official",
    identifier: `official/${relative(root, folder)}`,
    trust: "builtin",
    tags: facts.tags,
    folder,
  };
}

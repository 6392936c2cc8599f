import { join } from "node:path";
import { readTextFile } from "#foundation/files/files";
import { folderNameOf, isScanned, type SkillRoot, stampOf } from "./discover.ts";
import type { Catalogue, InstalledSkill } from "./library.ts";
import { readSkillText } from "./skill.ts";

export type Lookup =
  | { readonly kind: "found"; readonly skill: InstalledSkill }
  | { readonly kind: "disabled"; readonly skill: InstalledSkill }
  | { readonly kind: "unsupported"; readonly skill: InstalledSkill }
  /** The name itself is not one: it tries to walk out of the skills. */
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "not-found"; readonly names: readonly string[] };

export interface LookupLocation {
  readonly catalogue: Catalogue;
  readonly plugins: readonly InstalledSkill[];
  readonly roots: readonly SkillRoot[];
  readonly stateOf: (skill: InstalledSkill) => "usable" | "disabled" | "unsupported";
}

const shownNames = 20;
const maxFlatBytes = 1_048_576;

export async function findSkill(name: string, location: LookupLocation): Promise<Lookup> {
  const wanted = name.trim();
  const fault = nameFault(wanted);
  if (fault !== undefined) return { kind: "refused", reason: fault };
  const skill =
    fromPlugins(wanted, location) ?? fromFolders(wanted, location) ?? (await fromFlatFile(wanted, location.roots));
  if (skill === undefined) {
    const usable = location.catalogue.skills.filter((one) => location.stateOf(one) === "usable");
    return { kind: "not-found", names: usable.slice(0, shownNames).map((one) => one.name) };
  }
  const state = location.stateOf(skill);
  return state === "usable" ? { kind: "found", skill } : { kind: state, skill };
}

/** Names come from a model: none may be a path to somewhere else. */
function nameFault(name: string): string | undefined {
  if (name === "") return "give the name of a skill";
  if (name.length > 256) return "the name is too long";
  if (/\p{Cc}/u.test(name)) return "the name contains control characters";
  if (name.includes("\\")) return "the name contains a backslash";
  if (name.startsWith("/") || name.startsWith("~")) return "the name is a path; use the skill's name";
  if (/^[A-Za-z]:[\\/]/.test(name)) return "the name is a path; use the skill's name";
  if (name.split("/").some((part) => part === ".." || part === "."))
    return "the name must not contain . or .. as a folder";
  return undefined;
}

function fromPlugins(wanted: string, location: LookupLocation): InstalledSkill | undefined {
  return wanted.includes(":") ? location.plugins.find((one) => one.name === wanted) : undefined;
}

/** Names in heads win over names of folders; local ones come first in the catalogue. */
function fromFolders(wanted: string, { catalogue }: LookupLocation): InstalledSkill | undefined {
  const { skills, everything } = catalogue;
  const pathOf = (one: InstalledSkill): readonly string[] => {
    const prefix = one.category === "" ? "" : `${one.category}/`;
    return [`${prefix}${folderNameOf(one.file)}`, `${prefix}${one.name}`];
  };
  return (
    skills.find((one) => one.name === wanted) ??
    everything.find((one) => pathOf(one).includes(wanted)) ??
    everything.find((one) => folderNameOf(one.file) === wanted)
  );
}

/** Skills of old were single files `<name>.md`; only directly in a root or in a category, so that no other note is taken for one. */
async function fromFlatFile(wanted: string, roots: readonly SkillRoot[]): Promise<InstalledSkill | undefined> {
  const parts = wanted.split("/");
  if (parts.length > 2 || !parts.every((part) => isScanned(part) && part !== "")) return undefined;
  const leaf = parts.at(-1) ?? "";
  if (/^(?:skill|description|readme)$/i.test(leaf) || leaf.includes(":")) return undefined;
  for (const root of roots) {
    const file = join(root.path, ...parts.slice(0, -1), `${leaf}.md`);
    // Two parts name a category and a file; the category must not itself be a skill, whose notes these would be.
    const isInsideSkill = parts.length === 2 && stampOf(join(root.path, parts[0] ?? "", "SKILL.md")) !== undefined;
    if (isInsideSkill || stampOf(file) === undefined) continue;
    const { facts } = await readSkillText((await readTextFile(file, { maxBytes: maxFlatBytes })) ?? "", leaf);
    const category = parts.length === 2 ? (parts[0] ?? "") : "";
    return { facts, name: facts.name, category, folder: join(file, ".."), file, origin: root.origin };
  }
  return undefined;
}

import { join } from "node:path";
import type { HermesHome } from "#foundation/files/paths";
import type { TrustLevel } from "../guard/policy.ts";
import { folderNameOf } from "../library/discover.ts";
import type { SkillLibrary } from "../library/library.ts";
import { bundledNames } from "./bundled.ts";
import type { LockEntry } from "./lockfile.ts";

/** One row of `hermes skills list`. */
export interface InstalledRow {
  readonly name: string;
  readonly category: string;
  readonly description: string;
  readonly source: "hub" | "builtin" | "local" | "external";
  readonly trust: TrustLevel | "user";
  readonly state: "usable" | "disabled" | "unsupported";
}

/** Every skill on this machine with where it came from and whether it may be used on a surface. */
export async function listInstalled(
  location: { readonly home: HermesHome; readonly library: SkillLibrary; readonly locked: readonly LockEntry[] },
  surface: string,
  signal: AbortSignal,
): Promise<readonly InstalledRow[]> {
  const { home, library, locked } = location;
  const [{ skills }, bundled] = await Promise.all([library.catalogue(signal), bundledNames(home)]);
  return skills.map((skill) => {
    const entry = locked.find((one) => join(home.skills, one.installPath) === skill.folder);
    const isBuiltin = skill.origin === "local" && bundled.has(folderNameOf(skill.file));
    const source =
      entry !== undefined ? "hub" : isBuiltin ? "builtin" : skill.origin === "local" ? "local" : "external";
    return {
      name: skill.name,
      category: skill.category,
      description: skill.facts.description,
      source,
      trust: entry?.trust ?? (isBuiltin ? "builtin" : "user"),
      state: library.stateOf(skill, surface),
    };
  });
}

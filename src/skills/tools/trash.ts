import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { systemErrorCode, UserError } from "#foundation/errors";
import type { HermesHome } from "#foundation/files/paths";
import type { Clock } from "#foundation/time/clock";
import { stampOf } from "../library/discover.ts";

export interface TrashedSkill {
  readonly name: string;
  readonly folder: string;
  readonly deletedAtMs: number;
}

const keptMs = 30 * 24 * 60 * 60 * 1_000;
const entryName = /^(.+)-(\d{13})$/;

/** Deleted skills, kept for 30 days in `skills/.trash/<name>-<time>`. */
export class SkillTrash {
  readonly #home: HermesHome;
  readonly #clock: Clock;

  constructor(home: HermesHome, clock: Clock) {
    this.#home = home;
    this.#clock = clock;
  }

  /** Moves a skill away, and its category when that is left empty. Older deletions that are due are removed for good. */
  async put(skillFolder: string): Promise<string> {
    await this.purge();
    const trash = this.#home.at("skills", ".trash");
    await mkdir(trash, { recursive: true });
    const target = await freeLocation(trash, basename(skillFolder), this.#clock.now());
    await rename(skillFolder, target);
    await removeEmptyParents(dirname(skillFolder), this.#home.skills);
    return target;
  }

  async list(): Promise<readonly TrashedSkill[]> {
    const trash = this.#home.at("skills", ".trash");
    const names = await readdir(trash).catch((error: unknown) => {
      if (systemErrorCode(error) === "ENOENT") return [];
      throw error;
    });
    return names.flatMap((entry) => {
      const [, name, time] = entryName.exec(entry) ?? [];
      return name === undefined ? [] : [{ name, folder: join(trash, entry), deletedAtMs: Number(time) }];
    });
  }

  /** Puts the newest deletion of this name back into the skills folder. */
  async restore(name: string): Promise<string> {
    const [newest] = (await this.list())
      .filter((one) => one.name === name)
      .sort((left, right) => right.deletedAtMs - left.deletedAtMs);
    if (newest === undefined)
      throw new UserError(`No deleted skill is called ${name}.`, { code: "skill_not_in_trash" });
    const target = join(this.#home.skills, name);
    if (stampOf(join(target, "SKILL.md")) !== undefined)
      throw new UserError(`A skill called ${name} exists already.`, {
        hint: "Delete or rename it first.",
        code: "skill_exists",
      });
    await rename(newest.folder, target);
    return target;
  }

  async purge(): Promise<void> {
    const due = (await this.list()).filter((one) => this.#clock.now() - one.deletedAtMs > keptMs);
    for (const { folder } of due) await rm(folder, { recursive: true, force: true });
  }
}

/** Two deletions of one name in the same millisecond lie side by side. */
async function freeLocation(trash: string, name: string, nowMs: number): Promise<string> {
  const taken = new Set(await readdir(trash));
  let timeMs = nowMs;
  while (taken.has(`${name}-${timeMs}`)) timeMs += 1;
  return join(trash, `${name}-${timeMs}`);
}

/** Removes folders left empty, up to but not including the root. */
export async function removeEmptyParents(folder: string, root: string): Promise<void> {
  let current = folder;
  while (current !== root && current.startsWith(`${root}/`)) {
    const left = (await readdir(current)).filter((name) => name !== "DESCRIPTION.md" && name !== ".DS_Store");
    if (left.length > 0) return;
    await rm(current, { recursive: true, force: true });
    current = dirname(current);
  }
}

import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readTextFile, resolveInside, withFileLock, writeFileAtomic } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { Mutex } from "#foundation/lifecycle/mutex";
import { replaceText, ToolFailure } from "#tools";
import { decide } from "../guard/policy.ts";
import type { InstalledSkill, SkillLibrary } from "../library/library.ts";
import { listLinkedFiles } from "../library/linked-files.ts";
import { isFlat } from "../load/load.ts";
import type { SkillUsage } from "../load/usage.ts";
import { categoryFault, createdNameFault, skillTextFault, supportPathFault, supportTextFault } from "./skill-paths.ts";
import { removeEmptyParents, type SkillTrash } from "./trash.ts";
import { lookupFailure } from "./view.ts";

export interface SkillEditorDeps {
  readonly home: HermesHome;
  readonly library: SkillLibrary;
  readonly trash: SkillTrash;
  readonly usage: SkillUsage;
  /** `skills.guard_agent_created`. */
  readonly isGuarded: () => boolean;
}

/** What `skill_manage` can be asked to do. */
export type SkillChange =
  | {
      readonly action: "create";
      readonly name: string;
      readonly content: string;
      readonly category?: string | undefined;
    }
  | { readonly action: "edit"; readonly name: string; readonly content: string }
  | {
      readonly action: "patch";
      readonly name: string;
      readonly oldText: string;
      readonly newText: string;
      readonly filePath?: string | undefined;
      readonly replaceAll: boolean;
    }
  | { readonly action: "delete"; readonly name: string }
  | { readonly action: "write_file"; readonly name: string; readonly filePath: string; readonly text: string }
  | { readonly action: "remove_file"; readonly name: string; readonly filePath: string };

export interface SkillChanged {
  readonly message: string;
  readonly path: string;
  readonly extra?: Readonly<Record<string, unknown>>;
}

const maxFileBytes = 1_048_576;
const previewChars = 500;

/**
 * The only writer of skills besides the hub. One change at a time, in this process and between
 * processes; each is atomic, and with the guard on a change that is blocked leaves no trace.
 */
export class SkillEditor {
  readonly #deps: SkillEditorDeps;
  readonly #mutex = new Mutex();

  constructor(deps: SkillEditorDeps) {
    this.#deps = deps;
  }

  async apply(change: SkillChange, surface: string, signal: AbortSignal): Promise<SkillChanged> {
    const { home, library, usage } = this.#deps;
    const changed = await this.#mutex.run(
      () => withFileLock(home.at("skills", ".edit.lock"), () => this.#change(change, surface, signal), { signal }),
      signal,
    );
    await library.invalidate();
    await usage.record(change.name, "edit", signal);
    return changed;
  }

  async #change(change: SkillChange, surface: string, signal: AbortSignal): Promise<SkillChanged> {
    if (change.action === "create") return await this.#create(change, signal);
    const skill = await this.#writable(change.name, surface, signal);
    switch (change.action) {
      case "edit":
        return await this.#edit(skill, change.content);
      case "patch":
        return await this.#patch(skill, change);
      case "delete": {
        const location = await this.#deps.trash.put(skill.folder);
        return { message: `Deleted ${skill.name}; it is kept for 30 days.`, path: location };
      }
      case "write_file":
        return await this.#writeFile(skill, change.filePath, change.text);
      case "remove_file":
        return await this.#removeFile(skill, change.filePath);
      default:
        return change satisfies never;
    }
  }

  async #create(change: Extract<SkillChange, { action: "create" }>, signal: AbortSignal): Promise<SkillChanged> {
    refuse(createdNameFault(change.name));
    if (change.category !== undefined) refuse(categoryFault(change.category));
    refuse(await skillTextFault(change.content));
    const { library, home } = this.#deps;
    const { everything } = await library.catalogue(signal);
    const taken = everything.find((one) => one.name === change.name || one.folder.endsWith(`/${change.name}`));
    if (taken !== undefined) throw fault(`A skill called ${change.name} exists already at ${taken.folder}.`);
    const folder = join(home.skills, ...(change.category === undefined ? [] : [change.category]), change.name);
    await mkdir(folder, { recursive: true });
    const undo = async (): Promise<void> => {
      await rm(folder, { recursive: true, force: true });
      await removeEmptyParents(dirname(folder), home.skills);
    };
    await writeFileAtomic(join(folder, "SKILL.md"), change.content);
    await this.#guard(folder, undo);
    return {
      message: `Created the skill ${change.name}. New sessions list it.`,
      path: join(folder, "SKILL.md"),
      extra: { hint: "Add scripts, templates or longer notes with action write_file." },
    };
  }

  async #edit(skill: InstalledSkill, content: string): Promise<SkillChanged> {
    refuse(await skillTextFault(content));
    await this.#write(skill, skill.file, content);
    return { message: `Replaced SKILL.md of ${skill.name}.`, path: skill.file };
  }

  async #patch(skill: InstalledSkill, change: Extract<SkillChange, { action: "patch" }>): Promise<SkillChanged> {
    const { filePath } = change;
    if (filePath !== undefined && filePath !== "SKILL.md") refuse(supportPathFault(filePath));
    const isMain = filePath === undefined || filePath === "SKILL.md";
    const file = isMain ? skill.file : await inside(skill.folder, filePath);
    const text = await readTextFile(file, { maxBytes: maxFileBytes });
    if (text === undefined) throw await missingFile(skill, filePath ?? "SKILL.md");
    const done = replaceText(text, { oldText: change.oldText, newText: change.newText, replaceAll: change.replaceAll });
    if (done.kind !== "replaced") throw patchFailure(done, text);
    const found = isMain ? await skillTextFault(done.text) : supportTextFault(done.text);
    if (found !== undefined) throw fault(`The change would break the file, so nothing was written: ${found}`);
    await this.#write(skill, file, done.text);
    return {
      message: `Patched ${done.count} ${done.count === 1 ? "place" : "places"} in ${filePath ?? "SKILL.md"} of ${skill.name}.`,
      path: file,
      extra: { match_strategy: done.strategy },
    };
  }

  async #writeFile(skill: InstalledSkill, filePath: string, text: string): Promise<SkillChanged> {
    refuse(supportPathFault(filePath));
    refuse(supportTextFault(text));
    const file = await inside(skill.folder, filePath);
    await mkdir(dirname(file), { recursive: true });
    await this.#write(skill, file, text);
    return { message: `Wrote ${filePath} of ${skill.name}.`, path: file };
  }

  async #removeFile(skill: InstalledSkill, filePath: string): Promise<SkillChanged> {
    refuse(supportPathFault(filePath));
    const file = await inside(skill.folder, filePath);
    if ((await readableOrUndefined(file)) === undefined) throw await missingFile(skill, filePath);
    await rm(file);
    await removeEmptyParents(dirname(file), skill.folder);
    return { message: `Removed ${filePath} from ${skill.name}.`, path: file };
  }

  async #writable(name: string, surface: string, signal: AbortSignal): Promise<InstalledSkill> {
    const lookup = await this.#deps.library.find(name, surface, signal);
    if (lookup.kind === "refused" || lookup.kind === "not-found") throw lookupFailure(lookup, name);
    const { skill } = lookup;
    if (skill.origin !== "local")
      throw fault(
        `${skill.name} lies in ${skill.folder}, which is read-only here. Create a local skill under another name instead.`,
      );
    if (isFlat(skill)) throw fault(`${skill.name} is an old single-file skill; create it anew to change it.`);
    // A linked folder belongs to somebody else, however it is reached.
    await inside(this.#deps.home.skills, skill.folder);
    return skill;
  }

  /** Writes one file of a skill; with the guard on, a blocked result puts the old content back. */
  async #write(skill: InstalledSkill, file: string, text: string): Promise<void> {
    const before = await readableOrUndefined(file);
    await writeFileAtomic(file, text);
    await this.#guard(skill.folder, async () => {
      if (before === undefined) await rm(file, { force: true });
      else await writeFileAtomic(file, before);
    });
  }

  async #guard(folder: string, undo: () => Promise<void>): Promise<void> {
    if (!this.#deps.isGuarded()) return;
    const { scanFolder } = await import("../guard/scan.ts");
    const report = await scanFolder(folder);
    if (decide("agent-created", report.verdict, { isForced: false }).kind === "allow") return;
    await undo();
    const reasons = report.findings
      .filter((one) => one.severity === "critical")
      .map((one) => `${one.file}: ${one.says}`);
    throw fault(`The guard blocked this change and it was undone: ${reasons.join("; ")}`);
  }
}

function refuse(reason: string | undefined): void {
  if (reason !== undefined) throw fault(reason);
}

function fault(message: string, extra: Readonly<Record<string, unknown>> = {}): ToolFailure {
  return new ToolFailure(message, { success: false, ...extra });
}

async function inside(root: string, path: string): Promise<string> {
  try {
    return await resolveInside(root, path);
  } catch (error) {
    throw new ToolFailure(
      `${JSON.stringify(path)} leads out of the skills folder.`,
      { success: false },
      { cause: error },
    );
  }
}

async function readableOrUndefined(file: string): Promise<string | undefined> {
  return await readTextFile(file, { maxBytes: 16 * maxFileBytes });
}

async function missingFile(skill: InstalledSkill, path: string): Promise<ToolFailure> {
  return fault(`The skill ${skill.name} has no file ${JSON.stringify(path)}.`, {
    available_files: await listLinkedFiles(skill.folder),
  });
}

function patchFailure(done: Exclude<ReturnType<typeof replaceText>, { kind: "replaced" }>, text: string): ToolFailure {
  const file_preview = text.slice(0, previewChars);
  switch (done.kind) {
    case "refused":
      return fault(done.reason, { file_preview });
    case "ambiguous":
      return fault(
        `old_string was found ${done.count} times. Add lines around it to make it unique, or set replace_all.`,
        { file_preview },
      );
    case "not-found":
      return fault("Could not find old_string; read the skill again, it may have changed.", { file_preview });
    default:
      return done satisfies never;
  }
}

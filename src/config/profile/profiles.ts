import { mkdir, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { UserError } from "#foundation/errors";
import { ensureDir, readTextFile, writeFileAtomic } from "#foundation/files/files";
import { defaultProfile, HermesHome, isProfileName } from "#foundation/files/paths";
import { isAlive } from "#foundation/process/alive";
import { type AliasResult, removeAlias, writeAlias } from "./alias.ts";
import {
  blankFolders,
  clonedFiles,
  copyFiles,
  copyTree,
  exists,
  foldersIn,
  isFolder,
  neverCopied,
  neverExported,
} from "./files.ts";

/** Named homes below one root. Nothing is shared between them: settings, credentials, sessions, locks. */
export interface ProfileInfo {
  readonly name: string;
  readonly home: HermesHome;
  readonly isActive: boolean;
}

export interface CreateProfile {
  /** An empty home; the small files of another; or all of another but its running state. */
  readonly from: "blank" | "clone" | "clone-all";
  /** Profile to clone; the one in use where nothing is said. */
  readonly source?: string;
  readonly noAlias?: boolean;
  /** Words that are commands and therefore no names. */
  readonly commands?: Iterable<string>;
}

export class Profiles {
  readonly #root: HermesHome;
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
    this.#root = HermesHome.installRootOf(env);
  }

  /** The default profile first, then the others by name. */
  async list(): Promise<readonly ProfileInfo[]> {
    const active = await this.active();
    const names = (await foldersIn(this.#root.profiles)).filter(isProfileName).sort();
    return [defaultProfile, ...names].map((name) => ({
      name,
      home: this.#root.profile(name),
      isActive: name === active,
    }));
  }

  /** The sticky choice; `default` when there is none or it makes no sense. */
  async active(): Promise<string> {
    const name = (await readTextFile(this.#root.activeProfile, { maxBytes: 4096 }).catch(ignoreTooLarge))?.trim() ?? "";
    return isProfileName(name) && (await isFolder(this.#root.profile(name).root)) ? name : defaultProfile;
  }

  /** The home of a profile that exists. */
  async find(name: string): Promise<HermesHome> {
    const home = this.#root.profile(name);
    if (name === defaultProfile || (await isFolder(home.root))) return home;
    throw unknownProfile(name);
  }

  async create(
    name: string,
    options: CreateProfile,
  ): Promise<{ readonly home: HermesHome; readonly alias: AliasResult }> {
    const home = await this.#free(name, options.commands ?? []);
    const source = options.from === "blank" ? undefined : await this.find(options.source ?? (await this.active()));
    const draft = `${home.root}.new`;
    await rm(draft, { recursive: true, force: true });
    await ensureDir(this.#root.profiles, 0o700);
    await mkdir(draft, { mode: 0o700 });
    try {
      if (source !== undefined && options.from === "clone-all") await copyTree(source.root, draft, neverCopied);
      if (source !== undefined && options.from === "clone") await copyFiles(source.root, draft, clonedFiles);
      for (const folder of blankFolders) await ensureDir(join(draft, folder), 0o700);
      await rename(draft, home.root);
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      throw error;
    }
    const alias: AliasResult =
      options.noAlias === true ? { kind: "skipped", reason: "not wanted" } : await writeAlias(name, name, this.#env);
    return { home, alias };
  }

  async rename(from: string, to: string, commands: Iterable<string> = []): Promise<HermesHome> {
    if (from === defaultProfile) throw new UserError("The default profile cannot be renamed.");
    const old = await this.find(from);
    const home = await this.#free(to, commands);
    const wasActive = (await this.active()) === from;
    await refuseWhileRunning(old);
    await rename(old.root, home.root);
    if (wasActive) await writeFileAtomic(this.#root.activeProfile, `${to}\n`);
    if ((await removeAlias(from, from, this.#env)).kind === "removed") await writeAlias(to, to, this.#env);
    return home;
  }

  async delete(name: string): Promise<void> {
    if (name === defaultProfile) {
      throw new UserError("The default profile cannot be deleted.", {
        hint: "To remove everything: hermes uninstall --full",
      });
    }
    const home = await this.find(name);
    await refuseWhileRunning(home);
    if ((await this.active()) === name) await this.use(defaultProfile);
    await rm(home.root, { recursive: true, force: true });
    await removeAlias(name, name, this.#env);
  }

  /** Makes a profile the one that is used when none is named. */
  async use(name: string): Promise<void> {
    await this.find(name);
    if (name === defaultProfile) await rm(this.#root.activeProfile, { force: true });
    else await writeFileAtomic(this.#root.activeProfile, `${name}\n`);
  }

  /** Copies what may leave the machine into a new folder: no credentials, no databases, no caches. */
  async exportTo(name: string, folder: string): Promise<void> {
    const home = await this.find(name);
    await mustNotExist(folder);
    await copyTree(home.root, folder, neverExported);
  }

  /** Makes a profile from an exported folder. */
  async importFrom(
    folder: string,
    options: { readonly name?: string; readonly commands?: Iterable<string> } = {},
  ): Promise<HermesHome> {
    if (!(await isFolder(folder))) throw new UserError(`${folder} is not a folder with an exported profile.`);
    const home = await this.#free(options.name ?? basename(folder), options.commands ?? []);
    await ensureDir(this.#root.profiles, 0o700);
    await copyTree(folder, home.root, neverCopied);
    for (const name of blankFolders) await ensureDir(home.at(name), 0o700);
    return home;
  }

  /** A home for a new name: allowed, not a command, not taken. */
  async #free(name: string, commands: Iterable<string>): Promise<HermesHome> {
    const home = this.#root.profile(name);
    if (name === defaultProfile || new Set(commands).has(name)) {
      throw new UserError(`${JSON.stringify(name)} cannot be the name of a profile.`, {
        code: "profile_name_invalid",
        hint: "It is a command of hermes, or the default profile. Choose another name.",
      });
    }
    if (await exists(home.root)) {
      throw new UserError(`There is already a profile ${JSON.stringify(name)}.`, { code: "profile_exists" });
    }
    return home;
  }
}

/** A gateway of that profile still runs: its files must not move under it. */
async function refuseWhileRunning(home: HermesHome): Promise<void> {
  const text = await readTextFile(home.gatewayPid, { maxBytes: 65_536 });
  const pid = Number(/"pid"\s*:\s*(\d+)/.exec(text ?? "")?.[1] ?? (text ?? "").trim());
  if (text === undefined || !Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return;
  throw new UserError(`The gateway of profile ${home.profileName} is running (process ${pid}).`, {
    code: "profile_in_use",
    hint: `Stop it first: hermes -p ${home.profileName} gateway stop`,
  });
}

function ignoreTooLarge(error: unknown): undefined {
  if (!(error instanceof UserError)) throw error;
}

function unknownProfile(name: string): UserError {
  return new UserError(`There is no profile ${JSON.stringify(name)}.`, {
    code: "profile_unknown",
    exitCode: 1,
    hint: `See the ones there are: hermes profile list`,
  });
}

async function mustNotExist(path: string): Promise<void> {
  if (await exists(path))
    throw new UserError(`${path} exists already.`, { hint: "Name a folder that does not exist yet." });
}

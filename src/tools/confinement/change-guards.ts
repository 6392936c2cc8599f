import { rmSync } from "node:fs";
import path from "node:path";
import { harmlessSettings, isDangerousGitSetting, settingsIn } from "./git/git-settings.ts";
import {
  dropNewStarters,
  factsOf,
  modulesOf,
  noRepository,
  putBack,
  type RepositoryFacts,
} from "./git/repository-facts.ts";
import { persistentIn } from "./masks.ts";

/** Looks after what programs must be able to touch but not to misuse: it takes a misuse back when a command has ended. */
export interface ChangeGuard {
  /** How it is now is as it should be. */
  remember(): void;
  /** `command` is the line that was judged, and asked about where it needs that. */
  expect(command: string): void;
  /** Notes for the model about what was taken back. */
  settle(): Promise<readonly string[]>;
}

export interface RepositoryGuardOptions {
  /** The `.git` of each folder of the project that has one. */
  find(): readonly string[];
  /** A sandbox holds what runs. Where none does, a person was asked about hooks, or wants no questions. */
  readonly isHeld: boolean;
}

/**
 * Programs must be able to write `.git/config`: every new branch and remote is a line in it, and a new repository has one. Settings that start
 * programs are another matter: git of the person obeys them, in whichever folder below the project it is asked. When a command leaves one behind that was
 * not there, the file goes back to how it was. So it does when a remote leads elsewhere afterwards and the command did not say that it would, and so do hooks.
 */
export class RepositoryGuard implements ChangeGuard {
  readonly #workspace: string;
  readonly #options: RepositoryGuardOptions;
  #before: ReadonlyMap<string, RepositoryFacts> = new Map();
  #command = "";

  constructor(workspace: string, options: RepositoryGuardOptions) {
    this.#workspace = workspace;
    this.#options = options;
  }

  remember(): void {
    this.#before = this.#look();
  }

  expect(command: string): void {
    this.#command = command;
  }

  async settle(): Promise<readonly string[]> {
    const notes: string[] = [];
    for (const [folder, after] of this.#look()) {
      const before = this.#before.get(folder) ?? noRepository;
      const dropped = this.#options.isHeld ? dropNewStarters(this.#workspace, folder, { before, after }) : [];
      if (dropped.length > 0)
        notes.push(
          `[${folder} was put back: it would have started programs by itself (${dropped.join(", ")}). Ask the user to set this.]`,
        );
      const isLink = after.links.includes("config") && !before.links.includes("config");
      const wrong = isLink ? "led elsewhere" : await this.#wrongSettings(before.config ?? "", after.config ?? "");
      if (wrong === undefined) continue;
      const bytes = before.config ?? harmlessSettings(after.config ?? "");
      putBack(this.#workspace, `${folder}/config`, { bytes, mode: 0o644 });
      notes.push(`[${folder}/config was put back: it would have ${wrong}. Ask the user to set this.]`);
    }
    return notes;
  }

  async #wrongSettings(before: string, after: string): Promise<string | undefined> {
    if (after === before) return undefined;
    const known = new Set(settingsIn(before));
    const changed = settingsIn(after).filter((setting) => !known.has(setting));
    const starting = changed.filter(isDangerousGitSetting).map(keyOf);
    const addresses = new Set([...known].map(keyOf).filter((key) => /^remote\..*\.(?:url|pushurl)$/.test(key)));
    const elsewhere = changed.map(keyOf).filter((key) => addresses.has(key));
    const moved = elsewhere.length > 0 && !(await this.#saysSo()) ? elsewhere : [];
    if (starting.length + moved.length === 0) return undefined;
    const why = starting.length > 0 ? "started programs by itself" : "led a remote elsewhere";
    return `${why} (${[...new Set([...starting, ...moved])].join(", ")})`;
  }

  /** The command itself is one that sets addresses: a person was asked about it. */
  async #saysSo(): Promise<boolean> {
    const { readCommandLine } = await import("../shell/read-line.ts");
    const { commands } = readCommandLine(this.#command, { cwd: this.#workspace, home: this.#workspace });
    return commands.some(
      ({ name, args }) => name === "git" && args.some(({ text }) => /^(?:set-url|config|submodule)$/.test(text)),
    );
  }

  #look(): ReadonlyMap<string, RepositoryFacts> {
    const own = this.#options.find().map((folder) => path.relative(this.#workspace, folder));
    const all = own.flatMap((folder) => [folder, ...modulesOf(this.#workspace, `${folder}/modules`)]);
    return new Map(all.map((folder) => [folder, factsOf(this.#workspace, folder)]));
  }
}

const keyOf = (setting: string): string => setting.slice(0, setting.indexOf("="));

/** A home as workspace: a file that starts by itself, and was not there before, does not stay. */
export class HomeGuard implements ChangeGuard {
  readonly #home: string;
  #before: ReadonlySet<string> = new Set();

  constructor(home: string) {
    this.#home = home;
  }

  remember(): void {
    this.#before = new Set(persistentIn(this.#home));
  }

  expect(): void {}

  settle(): Promise<readonly string[]> {
    const made = persistentIn(this.#home).filter((file) => !this.#before.has(file));
    for (const file of made) rmSync(file, { recursive: true, force: true });
    const names = made.map((file) => path.basename(file)).join(", ");
    const note = `[removed from the home folder, because such files start by themselves: ${names}]`;
    return Promise.resolve(made.length === 0 ? [] : [note]);
  }
}

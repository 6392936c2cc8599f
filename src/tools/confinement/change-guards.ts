import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isDangerousGitSetting, settingsIn } from "./git-settings.ts";
import { persistentIn } from "./masks.ts";

/** Looks after what programs must be able to touch but not to misuse: it takes a misuse back when a command has ended. */
export interface ChangeGuard {
  /** `command` is the line that was judged, and asked about where it needs that. */
  remember(command?: string): void;
  /** Notes for the model about what was taken back. */
  settle(): Promise<readonly string[]>;
}

const maxBytes = 1_048_576;

/**
 * Programs must be able to write `.git/config`: every new branch and remote is a line in it. Settings that start programs are
 * another matter: when a command leaves one behind that was not there, the file goes back to how it was. So it does when a remote
 * leads elsewhere afterwards and the command did not say that it would.
 */
export class GitConfigGuard implements ChangeGuard {
  readonly #workspace: string;
  readonly #file: string;
  #before: string | undefined;
  #command = "";

  constructor(workspace: string) {
    this.#workspace = workspace;
    this.#file = path.join(workspace, ".git", "config");
  }

  remember(command = ""): void {
    this.#command = command;
    this.#before = this.#read();
  }

  async settle(): Promise<readonly string[]> {
    const after = this.#read();
    if (this.#before === undefined || after === undefined || after === this.#before) return [];
    const known = new Set(settingsIn(this.#before));
    const changed = settingsIn(after).filter((setting) => !known.has(setting));
    const starting = changed.filter(isDangerousGitSetting).map(keyOf);
    const addresses = new Set([...known].map(keyOf).filter((key) => /^remote\..*\.(?:url|pushurl)$/.test(key)));
    const elsewhere = changed.map(keyOf).filter((key) => addresses.has(key));
    const moved = elsewhere.length > 0 && !(await this.#saysSo()) ? elsewhere : [];
    if (starting.length + moved.length === 0) return [];
    writeFileSync(this.#file, this.#before);
    const why = starting.length > 0 ? "started programs by itself" : "led a remote elsewhere";
    const names = [...new Set([...starting, ...moved])].join(", ");
    return [`[.git/config was put back: it would have ${why} (${names}). Ask the user to set this.]`];
  }

  /** The command itself is one that sets addresses: a person was asked about it. */
  async #saysSo(): Promise<boolean> {
    const { readCommandLine } = await import("../shell/read-line.ts");
    const { commands } = readCommandLine(this.#command, { cwd: this.#workspace, home: this.#workspace });
    return commands.some(
      ({ name, args }) => name === "git" && args.some(({ text }) => /^(?:set-url|config|submodule)$/.test(text)),
    );
  }

  #read(): string | undefined {
    try {
      const text = readFileSync(this.#file, "utf8");
      return text.length > maxBytes ? undefined : text;
    } catch {
      // No repository here, or none yet.
      return undefined;
    }
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

  settle(): Promise<readonly string[]> {
    const made = persistentIn(this.#home).filter((file) => !this.#before.has(file));
    for (const file of made) rmSync(file, { recursive: true, force: true });
    const names = made.map((file) => path.basename(file)).join(", ");
    const note = `[removed from the home folder, because such files start by themselves: ${names}]`;
    return Promise.resolve(made.length === 0 ? [] : [note]);
  }
}

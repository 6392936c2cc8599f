import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { persistentIn } from "./masks.ts";

/** Looks after what programs must be able to touch but not to misuse: it takes a misuse back when a command has ended. */
export interface ChangeGuard {
  remember(): void;
  /** Notes for the model about what was taken back. */
  settle(): readonly string[];
}

/** Settings of git that start programs, or send it elsewhere than it seems. */
const dangerous =
  /^(?:core\.(?:hookspath|fsmonitor|sshcommand|pager|editor|gitproxy|askpass|attributesfile|alternaterefscommand)|alias\.|filter\.|diff\.external|diff\..*\.(?:command|textconv)|difftool\.|mergetool\.|merge\..*\.driver|credential\.|include\.|includeif\.|url\.|sequence\.editor|pager\.|gpg\.(?:.*\.)?program|uploadpack\.|receive\.|remote\..*\.(?:uploadpack|receivepack|proxy|vcs)|protocol\.|http\..*proxy|http\.proxy|sendemail\.|trailer\..*\.c(?:ommand|md)|interactive\.difffilter|man\.|browser\.|help\.browser|web\.browser|instaweb\.|submodule\..*\.update|hook\.|extensions\.worktreeconfig)/;

const maxBytes = 1_048_576;

/**
 * Programs must be able to write `.git/config`: every new branch and remote is a line in it. Settings that start programs are
 * another matter: when a command leaves one behind that was not there, the file goes back to how it was.
 */
export class GitConfigGuard implements ChangeGuard {
  readonly #file: string;
  #before: string | undefined;

  constructor(workspace: string) {
    this.#file = path.join(workspace, ".git", "config");
  }

  remember(): void {
    this.#before = this.#read();
  }

  settle(): readonly string[] {
    const after = this.#read();
    if (this.#before === undefined || after === undefined || after === this.#before) return [];
    const known = new Set(settingsIn(this.#before));
    const added = settingsIn(after).filter((setting) => !known.has(setting) && dangerous.test(setting));
    if (added.length === 0) return [];
    writeFileSync(this.#file, this.#before);
    const names = [...new Set(added.map((setting) => setting.slice(0, setting.indexOf("="))))].join(", ");
    return [
      `[.git/config was put back: it would have started programs by itself (${names}). Ask the user to set this.]`,
    ];
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

  settle(): readonly string[] {
    const made = persistentIn(this.#home).filter((file) => !this.#before.has(file));
    for (const file of made) rmSync(file, { recursive: true, force: true });
    const names = made.map((file) => path.basename(file)).join(", ");
    return made.length === 0
      ? []
      : [`[removed from the home folder, because such files start by themselves: ${names}]`];
  }
}

/** Whether `section.key=value` starts a program, or sends git elsewhere than it seems. */
export function isDangerousGitSetting(setting: string): boolean {
  return dangerous.test(setting);
}

/** `section.key=value`, section and key in lower case, as git compares them. */
export function settingsIn(text: string): readonly string[] {
  let section = "";
  const settings: string[] = [];
  for (const line of text.replace(/\\\r?\n/g, "").split(/\r?\n/)) {
    const head = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/.exec(line);
    const rest = head === null ? line : (head[3] ?? "");
    if (head !== null) section = [head[1]?.toLowerCase(), head[2]].filter((part) => part !== undefined).join(".");
    const setting = /^\s*([\w-]+)\s*(?:=\s*(.*))?$/.exec(rest);
    if (setting !== null) settings.push(`${section}.${setting[1]?.toLowerCase()}=${(setting[2] ?? "").trim()}`);
  }
  return settings;
}

import { createHash } from "node:crypto";
import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import type { Finding } from "../contract/approval-request.ts";

/** An entry of `command_allowlist`: a key, or a key narrowed to certain commands. */
export type AllowEntry =
  | string
  | {
      readonly key: string;
      /** Only commands that begin with these words and do nothing else besides. */
      readonly command_prefix?: string;
      /** Only in this directory. */
      readonly cwd?: string;
      /** ISO date; the entry is void afterwards. */
      readonly expires?: string;
      readonly added_at?: string;
    };

/** Where permanent grants live; the composition puts the user's configuration here. */
export interface GrantStore {
  load(): readonly AllowEntry[];
  add(key: string): Promise<void>;
}

export interface GrantedFor {
  readonly command: string;
  readonly sessionKey: string;
  readonly cwd: string;
  /** Who wants it; undefined is the owner. */
  readonly requester?: string | undefined;
  /** The kind of terminal it runs in, or the running program that reads it. */
  readonly within?: string | undefined;
  /** Whether all that the command touches lies below a folder. */
  staysBelow?(folder: string): boolean;
}

/** Keys of earlier versions, which were made from pattern texts, and what they are called now. */
const formerKeys: Readonly<Record<string, string>> = {
  "recursive delete (long flag)": "recursive delete",
  "recursive world/other-writable (long flag)": "world/other-writable permissions",
  "recursive chown to root (long flag)": "recursive chown to root",
  "in-place edit of system config (long flag)": "in-place edit of system config",
  "kill process via backtick pgrep expansion (self-termination)": "kill process via pgrep expansion (self-termination)",
};

/**
 * What has been approved, and for what.
 *
 * 1. A session's grants end with the session; `once` is never stored.
 * 2. A grant is for a finding's key, anywhere or below a folder, or for one exact command; never for "whatever starts like this".
 * 3. A stored entry that is only a command word (`rm`) is void: it would approve anything.
 */
export class Grants {
  readonly #store: GrantStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #sessionKeys = new Map<string, Set<string>>();
  /** Folders by session and key. */
  readonly #sessionFolders = new Map<string, Map<string, Set<string>>>();
  readonly #sessionCommands = new Map<string, Set<string>>();

  constructor(store: GrantStore, deps: { readonly clock: Clock; readonly logger: Logger }) {
    this.#store = store;
    this.#clock = deps.clock;
    this.#logger = deps.logger;
  }

  async isGranted(finding: Finding, subject: GrantedFor): Promise<boolean> {
    if (this.#sessionCommands.get(subject.sessionKey)?.has(commandHash(subject)) === true) return true;
    if (finding.isExact === true) return false;
    if (this.#sessionKeys.get(subject.sessionKey)?.has(finding.key) === true) return true;
    const folders = this.#sessionFolders.get(subject.sessionKey)?.get(finding.key) ?? [];
    if ([...folders].some((folder) => subject.staysBelow?.(folder) === true)) return true;
    for (const entry of this.#store.load()) if (await this.#allows(entry, finding, subject)) return true;
    return false;
  }

  grantSession(sessionKey: string, keys: readonly string[]): void {
    const held = this.#sessionKeys.get(sessionKey) ?? new Set<string>();
    for (const key of keys) held.add(key);
    this.#sessionKeys.set(sessionKey, held);
  }

  /** What lies below a folder, until the session ends. */
  grantFolder(sessionKey: string, folder: string, keys: readonly string[]): void {
    const held = this.#sessionFolders.get(sessionKey) ?? new Map<string, Set<string>>();
    for (const key of keys) held.set(key, new Set([...(held.get(key) ?? []), folder]));
    this.#sessionFolders.set(sessionKey, held);
  }

  /** This very command in this very place, until the session ends. */
  grantCommand(subject: GrantedFor): void {
    const held = this.#sessionCommands.get(subject.sessionKey) ?? new Set<string>();
    held.add(commandHash(subject));
    this.#sessionCommands.set(subject.sessionKey, held);
  }

  async grantAlways(sessionKey: string, keys: readonly string[]): Promise<void> {
    this.grantSession(sessionKey, keys);
    for (const key of keys) await this.#store.add(key);
  }

  endSession(sessionKey: string): void {
    this.#sessionKeys.delete(sessionKey);
    this.#sessionFolders.delete(sessionKey);
    this.#sessionCommands.delete(sessionKey);
  }

  async #allows(entry: AllowEntry, finding: Finding, subject: GrantedFor): Promise<boolean> {
    const key = typeof entry === "string" ? entry : entry.key;
    if ((formerKeys[key] ?? key) !== finding.key) {
      if (typeof entry === "string" && /^[a-z][\w.-]*$/.test(entry)) {
        this.#logger.debug("an allowlist entry that is only a word grants nothing", { entry });
      }
      return false;
    }
    if (typeof entry === "string") return true;
    if (entry.expires !== undefined && !(Date.parse(entry.expires) > this.#clock.now())) return false;
    if (entry.cwd !== undefined && entry.cwd !== subject.cwd) return false;
    if (entry.command_prefix === undefined) return true;
    return (await import("./command-prefix.ts")).beginsWith(subject.command, entry.command_prefix);
  }
}

function commandHash(subject: GrantedFor): string {
  const { cwd, command, requester = "", within = "" } = subject;
  return createHash("sha256")
    .update(JSON.stringify([cwd, command, requester, within]))
    .digest("hex");
}

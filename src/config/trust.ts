import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { systemErrorCode, UserError } from "#foundation/errors";
import { ensureDir, withFileLock, writeFileAtomic } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { isRecord, parseJson } from "#foundation/text/json";
import { readBytes } from "./source.ts";

/** A folder whose own files may count: settings, variables, instructions, hooks, servers, skills, plugins. */
export interface TrustedFolder {
  /** Its real path; everything below it is trusted with it. */
  readonly folder: string;
  /** When a person said so. */
  readonly since: string;
}

/** What in a folder instructs agents, sets variables or starts programs once the folder is trusted. */
const speakingFiles: readonly string[] = [
  ".env",
  ".hermes",
  ".hermes.md",
  "HERMES.md",
  "AGENTS.md",
  "CLAUDE.md",
  "GEMINI.md",
  ".cursorrules",
  ".cursor/rules",
  ".mcp.json",
  ".worktreeinclude",
];

/** What a folder is asked to be trusted with, apart from the list in the home. */
interface AlsoTrusted {
  /** For this run only (`--trust-folder`). */
  readonly forThisRun?: readonly string[] | undefined;
  /** By the setting `security.trusted_folders`. */
  readonly bySetting?: readonly string[] | undefined;
}

/**
 * The folders a person trusts. A folder is known by its real path, so that neither a link nor another spelling leads into
 * or out of a trusted one, and one that cannot be found is not trusted. The list lies in the home, where no project can write.
 */
export class TrustedFolders {
  readonly #file: string;
  readonly #also: readonly string[];
  /** Trusted for this run only; a load that follows in the same run is told again. */
  readonly forThisRun: readonly string[];

  constructor(home: HermesHome, also: AlsoTrusted = {}) {
    this.#file = home.at("trust.json");
    this.forThisRun = also.forThisRun ?? [];
    this.#also = [...this.forThisRun, ...(also.bySetting ?? [])].flatMap((folder) => realPathOf(folder) ?? []);
  }

  isTrusted(folder: string): boolean {
    const real = realPathOf(folder);
    if (real === undefined) return false;
    const isAround = (trusted: string) => isInside(trusted, real);
    return this.#also.some(isAround) || this.list().some((one) => isAround(one.folder));
  }

  /** Whether a folder has files of its own that wait for a person's trust: until then they are words of strangers. */
  isAwaited(folder: string): boolean {
    return speakingFiles.some((name) => existsSync(join(folder, name))) && !this.isTrusted(folder);
  }

  /** Whether a person should be asked: the folder has files of its own, and nobody has decided about them yet. */
  isUndecided(folder: string): boolean {
    const real = realPathOf(folder);
    if (real === undefined || !this.isAwaited(folder)) return false;
    const read = this.#read();
    return read.kind === "list" && !read.refused.includes(real);
  }

  /** Remembers a no, so that it is not asked again. */
  async refuse(folder: string, signal: AbortSignal): Promise<void> {
    const real = existingFolder(folder);
    await this.#change(signal, (read) => ({ ...read, refused: [...new Set([...read.refused, real])] }));
  }

  /** The list in the home, by path. A list that cannot be read trusts nothing. */
  list(): readonly TrustedFolder[] {
    const read = this.#read();
    return read.kind === "list" ? read.folders : [];
  }

  /** Whether there is a list that cannot be read. */
  get isDamaged(): boolean {
    return this.#read().kind === "damaged";
  }

  /** Puts a folder on the list and gives its real path. */
  async trust(folder: string, signal: AbortSignal): Promise<string> {
    const real = existingFolder(folder);
    const since = new Date().toISOString();
    await this.#change(signal, ({ folders, refused }) => ({
      folders: [...folders.filter((one) => one.folder !== real), { folder: real, since }],
      refused: refused.filter((one) => one !== real),
    }));
    return real;
  }

  /** Takes a folder off the list. False when it was not on it; it may still lie in one that is. */
  async distrust(folder: string, signal: AbortSignal): Promise<boolean> {
    const names = new Set([resolve(folder), realPathOf(folder)]);
    return await this.#change(signal, ({ folders, refused }) => ({
      folders: folders.filter((one) => !names.has(one.folder)),
      refused,
    }));
  }

  async #change(signal: AbortSignal, change: (decided: Decided) => Decided): Promise<boolean> {
    await ensureDir(join(this.#file, ".."), 0o700);
    const work = async () => {
      const read = this.#read();
      if (read.kind === "damaged") {
        throw new UserError(`${this.#file} cannot be read; it was not changed.`, {
          code: "trust_list_damaged",
          hint: "Put it right or move it away, then trust your folders again.",
        });
      }
      const after = change(read);
      const { folders } = after;
      const hasChanged = folders.length !== read.folders.length || folders.some((one) => !read.folders.includes(one));
      if (hasChanged || after.refused.length !== read.refused.length)
        await writeFileAtomic(this.#file, textOf(after, read.others), { mode: 0o600 });
      return hasChanged;
    };
    return await withFileLock(`${this.#file}.lock`, work, { signal });
  }

  #read(): ({ readonly kind: "list" } & TrustFile) | { readonly kind: "damaged" } {
    const bytes = this.#bytes();
    if (bytes === undefined) return { kind: "list", folders: [], refused: [], others: {} };
    const parsed = parseJson(bytes.toString("utf8"));
    if (!parsed.ok || !isRecord(parsed.value)) return { kind: "damaged" };
    // Plugins of projects are kept in the same file.
    const { folders = [], refused = [], ...others } = parsed.value;
    if (!Array.isArray(folders) || !folders.every(isTrustedFolder) || !Array.isArray(refused))
      return { kind: "damaged" };
    return { kind: "list", folders, refused: refused.map(String), others };
  }

  #bytes(): Buffer | undefined {
    try {
      return readBytes(this.#file);
    } catch (error) {
      // Not to be read, too large or a folder: there is a list, and it says nothing.
      if (error instanceof UserError || systemErrorCode(error) !== undefined) return Buffer.alloc(0);
      throw error;
    }
  }
}

/** Whether trusting a folder would trust nearly everything a person has. */
export function holdsEverything(folder: string, env: NodeJS.ProcessEnv): boolean {
  const real = realPathOf(folder);
  const personal = realPathOf(env["HOME"]?.trim() || homedir());
  return real !== undefined && (real === parse(real).root || (personal !== undefined && isInside(real, personal)));
}

function existingFolder(folder: string): string {
  const real = realPathOf(folder);
  if (real !== undefined) return real;
  throw new UserError(`There is no folder ${folder}.`, { hint: "Name a folder that exists.", exitCode: 2 });
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return undefined;
  }
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

const isTrustedFolder = (value: unknown): value is TrustedFolder =>
  isRecord(value) &&
  typeof value["folder"] === "string" &&
  isAbsolute(value["folder"]) &&
  typeof value["since"] === "string";

/** What a person has decided about folders. */
interface Decided {
  readonly folders: readonly TrustedFolder[];
  /** Asked about and not trusted. */
  readonly refused: readonly string[];
}

interface TrustFile extends Decided {
  readonly others: Readonly<Record<string, unknown>>;
}

function textOf({ folders, refused }: Decided, others: TrustFile["others"]): string {
  const sorted = folders.toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
  return `${JSON.stringify({ ...others, folders: sorted, ...(refused.length === 0 ? {} : { refused }) }, null, 2)}\n`;
}

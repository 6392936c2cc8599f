import { createHash, randomBytes } from "node:crypto";
import {
  appendFileSync,
  constants,
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { ensureDir, writeFileAtomic } from "#foundation/files/files";
import { isRecord, parseJson } from "#foundation/text/json";

/** What a snapshot knows of one path: a folder, a file or a link. A file without `h` was too large to keep. */
export type StoredEntry =
  | { readonly k: "d"; readonly m: number }
  | { readonly k: "f"; readonly m: number; readonly s: number; readonly x: string; readonly h?: string | undefined }
  | { readonly k: "l"; readonly t: string };

export type SnapshotMark = "end" | "look";

/** One snapshot: what changed since the one before it. */
export interface SnapshotLine {
  readonly id: string;
  readonly at: number;
  readonly reason: string;
  /** The turn whose calls it stands before. */
  readonly turn?: string | undefined;
  /** Not for the list: how a turn left the folder, or how it was when somebody compared it. */
  readonly mark?: SnapshotMark | undefined;
  /** The first line holds everything. */
  readonly isWhole?: boolean | undefined;
  readonly set: Readonly<Record<string, StoredEntry>>;
  readonly gone: readonly string[];
}

const smallBytes = 262_144;

/**
 * Snapshots of one folder on disk: contents by their hash, and a journal with one line per snapshot that says what changed.
 *
 * 1. Contents are on disk before the line that names them; a line is complete or ignored.
 * 2. The first line holds the whole picture; dropping old snapshots folds them into it.
 */
export class SnapshotStore {
  readonly #folder: string;
  #lines: SnapshotLine[] = [];
  #size = -1;
  #written = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get lines(): readonly SnapshotLine[] {
    return this.#lines;
  }

  /** Makes the folders; what the snapshots are of is written down beside them. */
  async prepare(root: string): Promise<void> {
    if (existsSync(path.join(this.#folder, "root"))) return;
    await ensureDir(path.join(this.#folder, "objects"), 0o700);
    await writeFileAtomic(path.join(this.#folder, "root"), `${root}\n`, { mode: 0o600 });
  }

  /** Reads what this or another process wrote since the last time. */
  async refresh(): Promise<void> {
    const facts = await fs.stat(this.#journal).catch(() => undefined);
    if (facts === undefined) {
      this.#lines = [];
      this.#size = 0;
      return;
    }
    if (facts.size === this.#size) return;
    const text = await fs.readFile(this.#journal, "utf8");
    const lines = text.split("\n").flatMap(readLine);
    this.#size = Buffer.byteLength(text);
    // Without its first line a journal does not say what was there; going back by it would remove files.
    this.#lines = lines[0]?.isWhole === true ? lines : [];
    if (this.#lines.length === 0) await this.#setAside();
  }

  /** The picture of a snapshot; of the newest one without an id. */
  treeOf(id?: string): Map<string, StoredEntry> {
    const tree = new Map<string, StoredEntry>();
    for (const line of this.#lines) {
      for (const gone of line.gone) tree.delete(gone);
      for (const [name, entry] of Object.entries(line.set)) tree.set(name, entry);
      if (line.id === id) return tree;
    }
    if (id !== undefined) throw new Error(`snapshot ${id} is not in the journal`);
    return tree;
  }

  append(snapshot: Omit<SnapshotLine, "id" | "isWhole">): SnapshotLine {
    const line = { id: randomBytes(20).toString("hex"), isWhole: this.#lines.length === 0, ...snapshot };
    const text = `${JSON.stringify(line)}\n`;
    appendFileSync(this.#journal, text, { mode: 0o600 });
    this.#lines.push(line);
    this.#size += Buffer.byteLength(text);
    return line;
  }

  /** Keeps the content of a file; its hash. */
  async keep(file: string, size: number): Promise<string> {
    if (size <= smallBytes) return this.#keepSmall(readFileSync(file));
    // The copy is hashed, not the file: that may change while it is read.
    const copy = path.join(this.#folder, "objects", `new-${randomBytes(8).toString("hex")}`);
    try {
      await fs.copyFile(file, copy, constants.COPYFILE_FICLONE);
      const hash = createHash("sha256");
      await pipeline(createReadStream(copy), hash);
      const digest = hash.digest("hex");
      await fs.mkdir(path.dirname(this.objectFile(digest)), { recursive: true });
      await fs.rename(copy, this.objectFile(digest));
      return digest;
    } finally {
      await fs.rm(copy, { force: true });
    }
  }

  /** On this thread: the steps are short, and a first snapshot has thousands of them. */
  #keepSmall(bytes: Buffer): string {
    const hash = createHash("sha256").update(bytes).digest("hex");
    const object = this.objectFile(hash);
    // Asked of the disk each time: another process may have dropped it since.
    if (existsSync(object)) return hash;
    this.#written += 1;
    const fresh = path.join(this.#folder, "objects", `new-${this.#written}-${process.pid}`);
    mkdirSync(path.dirname(object), { recursive: true });
    writeFileSync(fresh, bytes, { mode: 0o400 });
    renameSync(fresh, object);
    return hash;
  }

  objectFile(hash: string): string {
    return path.join(this.#folder, "objects", hash.slice(0, 2), hash.slice(2));
  }

  /** Folds the oldest snapshots into the first one that stays, and drops contents nobody names any more. */
  async prune(keep: number): Promise<void> {
    const listed = this.#lines.filter(({ mark }) => mark === undefined);
    const oldest = listed.at(-keep);
    if (oldest === undefined || listed.length <= keep + Math.ceil(keep / 5)) return;
    const kept = this.#lines.slice(this.#lines.indexOf(oldest));
    const base: SnapshotLine = { ...oldest, isWhole: true, set: Object.fromEntries(this.treeOf(oldest.id)), gone: [] };
    this.#lines = [base, ...kept.slice(1)];
    const text = this.#lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    await writeFileAtomic(this.#journal, text, { mode: 0o600 });
    this.#size = Buffer.byteLength(text);
    await this.#sweep();
  }

  async #setAside(): Promise<void> {
    await fs.rename(this.#journal, `${this.#journal}.damaged`);
    this.#size = 0;
  }

  async #sweep(): Promise<void> {
    const used = new Set<string>();
    for (const line of this.#lines)
      for (const entry of Object.values(line.set)) if (entry.k === "f" && entry.h !== undefined) used.add(entry.h);
    const objects = path.join(this.#folder, "objects");
    for (const group of await fs.readdir(objects)) {
      if (group.length !== 2) continue;
      for (const rest of await fs.readdir(path.join(objects, group)))
        if (!used.has(`${group}${rest}`)) await fs.rm(path.join(objects, group, rest), { force: true });
    }
  }

  get #journal(): string {
    return path.join(this.#folder, "journal.ndjson");
  }
}

/** Our own file, but what lies on a disk can be anything: a line that is not whole counts as none. */
function readLine(text: string): readonly SnapshotLine[] {
  if (text === "") return [];
  const parsed = parseJson(text);
  if (!parsed.ok || !isRecord(parsed.value)) return [];
  const { id, at, reason, turn, mark, isWhole, set, gone } = parsed.value;
  if (typeof id !== "string" || typeof at !== "number" || typeof reason !== "string") return [];
  if (!isRecord(set) || !Object.values(set).every(isEntry)) return [];
  if (!Array.isArray(gone) || !gone.every((name) => typeof name === "string")) return [];
  return [
    {
      id,
      at,
      reason,
      turn: typeof turn === "string" ? turn : undefined,
      mark: mark === "end" || mark === "look" ? mark : undefined,
      isWhole: isWhole === true,
      set: set as Record<string, StoredEntry>,
      gone,
    },
  ];
}

function isEntry(value: unknown): value is StoredEntry {
  if (!isRecord(value)) return false;
  const { k, m, s, x, h, t } = value;
  if (k === "l") return typeof t === "string";
  if (k === "d") return typeof m === "number";
  const isHash = h === undefined || (typeof h === "string" && /^[0-9a-f]{64}$/.test(h));
  return k === "f" && typeof m === "number" && typeof s === "number" && typeof x === "string" && isHash;
}

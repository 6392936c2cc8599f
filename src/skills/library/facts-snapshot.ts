import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { describe } from "#foundation/errors";
import { readTextFile, writeFileAtomic } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import { parseFrontMatter } from "#foundation/text/front-matter";
import { isRecord, parseJson } from "#foundation/text/json";
import { readText } from "#foundation/text/read-fields";
import { type FoundFile, folderNameOf } from "./discover.ts";
import { readSkillText, type SkillFacts } from "./skill.ts";

/** Raise when {@link SkillFacts} change, so that an older snapshot is not believed. */
const version = 1;
const maxFileBytes = 1_048_576;
const maxSnapshotBytes = 32 * 1_048_576;

interface Entry {
  readonly mtimeMs: number;
  readonly size: number;
  /** Facts of a SKILL.md, or the text of a DESCRIPTION.md. */
  readonly value: SkillFacts | string;
}

/**
 * What the heads of all skill files said when they were last read, in memory and in a file, so that
 * a start with hundreds of skills parses none of them. An entry counts only while the file's stamp is the same.
 */
export class FactsSnapshot {
  readonly #file: string;
  readonly #logger: Logger;
  #entries: ReadonlyMap<string, Entry> | undefined;
  #isDirty = false;

  constructor(file: string, logger: Logger) {
    this.#file = file;
    this.#logger = logger;
  }

  /** The facts of each file, in order; a file that cannot be read is left out and said so in the log. */
  async read(
    files: readonly FoundFile[],
    kind: "skill" | "description",
  ): Promise<readonly (Entry["value"] | undefined)[]> {
    const known = await this.#load();
    const next = new Map(known);
    let hasChanged = false;
    const values: (Entry["value"] | undefined)[] = [];
    for (const { path, stamp } of files) {
      const entry = known.get(path);
      if (entry?.mtimeMs === stamp.mtimeMs && entry.size === stamp.size) {
        values.push(entry.value);
        continue;
      }
      const value = await this.#parse(path, kind);
      values.push(value);
      if (value === undefined) continue;
      next.set(path, { ...stamp, value });
      hasChanged = true;
    }
    if (hasChanged) this.#entries = next;
    this.#isDirty ||= hasChanged;
    return values;
  }

  /** Writes the snapshot with exactly these files in it, if anything changed. */
  async keep(paths: ReadonlySet<string>): Promise<void> {
    const entries = new Map([...(this.#entries ?? [])].filter(([path]) => paths.has(path)));
    if (!this.#isDirty && entries.size === this.#entries?.size) return;
    this.#isDirty = false;
    this.#entries = entries;
    const payload = JSON.stringify(Object.fromEntries([...entries].sort(([left], [right]) => (left < right ? -1 : 1))));
    const text = JSON.stringify({ version, checksum: checksumOf(payload), payload });
    try {
      await writeFileAtomic(this.#file, text, { fsync: false, mode: 0o600 });
    } catch (error) {
      this.#logger.debug("the snapshot of skills could not be written", { reason: describe(error) });
    }
  }

  async clear(): Promise<void> {
    this.#entries = new Map();
    this.#isDirty = true;
    await rm(this.#file, { force: true });
  }

  async #load(): Promise<ReadonlyMap<string, Entry>> {
    this.#entries ??= await this.#readFile();
    return this.#entries;
  }

  /** Empty when there is none, when it is of another version, or when a single byte of it was changed. */
  async #readFile(): Promise<ReadonlyMap<string, Entry>> {
    let text: string | undefined;
    try {
      text = await readTextFile(this.#file, { maxBytes: maxSnapshotBytes });
    } catch (error) {
      this.#logger.debug("the snapshot of skills could not be read", { reason: describe(error) });
    }
    const outer = text === undefined ? undefined : parseJson(text);
    if (outer?.ok !== true || !isRecord(outer.value) || outer.value["version"] !== version) return new Map();
    const { payload, checksum } = outer.value;
    if (typeof payload !== "string" || checksum !== checksumOf(payload)) return new Map();
    const inner = parseJson(payload);
    return inner.ok && isRecord(inner.value) ? new Map(Object.entries(inner.value) as [string, Entry][]) : new Map();
  }

  async #parse(path: string, kind: "skill" | "description"): Promise<Entry["value"] | undefined> {
    try {
      const text = (await readTextFile(path, { maxBytes: maxFileBytes })) ?? "";
      if (kind === "skill") return (await readSkillText(text, folderNameOf(path))).facts;
      const head = await parseFrontMatter(text);
      return (head.kind === "parsed" ? readText(head.fields["description"]) : undefined) ?? "";
    } catch (error) {
      this.#logger.warn("a skill file could not be read", { path, reason: describe(error) });
      return undefined;
    }
  }
}

function checksumOf(payload: string): string {
  return createHash("sha256").update(payload).digest("hex");
}

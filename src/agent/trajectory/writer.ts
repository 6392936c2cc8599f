import { randomBytes } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { describe } from "#foundation/errors";
import { ensureDir, writeFileAtomic } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import { KeyedMutex } from "#foundation/lifecycle/mutex";
import { toExact } from "#foundation/text/exact-json-text";
import type { BatchEntry } from "./batch-entry.ts";
import { embedJson } from "./embedded-json.ts";
import type { TrajectoryEntry } from "./entry.ts";

export type Saved =
  | { readonly kind: "saved"; readonly path: string }
  | { readonly kind: "failed"; readonly path: string };

/**
 * Appends trajectories to their files. A line is written whole or the failure is logged; it never fails the
 * conversation it belongs to. One writer per process: its lock keeps two lines from mixing.
 */
export class TrajectoryWriter {
  readonly #folder: string;
  readonly #log: Logger;
  readonly #locks = new KeyedMutex<string>();

  /** Relative names are taken from `folder`. */
  constructor(folder: string, log: Logger) {
    this.#folder = folder;
    this.#log = log;
  }

  /** Completed ones and others go to different files, unless a file is named. */
  save(entry: TrajectoryEntry, filename?: string): Promise<Saved> {
    const usual = entry.completed ? "trajectory_samples.jsonl" : "failed_trajectories.jsonl";
    return this.#append(entry, filename ?? usual);
  }

  saveBatch(entry: BatchEntry, filename: string): Promise<Saved> {
    return this.#append(entry, filename);
  }

  /** One conversation as a file of its own, for people to read. */
  saveSample(entry: TrajectoryEntry, query: string): Promise<Saved> {
    const path = resolve(this.#folder, `sample_${randomBytes(4).toString("hex")}.json`);
    return this.#attempt(path, () => writeFileAtomic(path, `${JSON.stringify({ ...entry, query }, undefined, 2)}\n`));
  }

  #append(entry: TrajectoryEntry | BatchEntry, filename: string): Promise<Saved> {
    const path = resolve(this.#folder, filename);
    return this.#attempt(path, () => appendLine(path, embedJson(toExact(entry), this.#log)));
  }

  async #attempt(path: string, write: () => Promise<void>): Promise<Saved> {
    try {
      await this.#locks.run(path, write);
      return { kind: "saved", path };
    } catch (error) {
      this.#log.warn("A trajectory could not be saved.", { file: path, cause: describe(error) });
      return { kind: "failed", path };
    }
  }
}

async function appendLine(path: string, line: string): Promise<void> {
  await ensureDir(dirname(path));
  const handle = await open(path, "a");
  try {
    await writeWhole(handle, Buffer.from(`${line}\n`));
  } finally {
    await handle.close();
  }
}

/** One call writes it all on every usual file system; the loop is for those that take less at a time. */
async function writeWhole(handle: FileHandle, bytes: Buffer): Promise<void> {
  let written = 0;
  while (written < bytes.length) written += (await handle.write(bytes, written)).bytesWritten;
}

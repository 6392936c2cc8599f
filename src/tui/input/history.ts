import { appendFile, open } from "node:fs/promises";
import { dirname } from "node:path";
import { describe } from "#foundation/errors";
import { ensureDir } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";

const maxReadBytes = 1_000_000;
const maxEntries = 2_000;
const maxEntryChars = 20_000;

export interface HistoryOptions {
  readonly file: string;
  /** True for text that holds a secret; such text is never written. */
  readonly isSecret: (text: string) => boolean;
  readonly log: Logger;
}

/**
 * What a person typed, shared by all sessions of a profile. The file is the one prompt_toolkit writes, so an existing
 * history goes on: a comment with the time, then the rows of the entry, each behind a `+`.
 */
export class InputHistory {
  readonly #options: HistoryOptions;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  /** Newest first, each text once. */
  async load(): Promise<readonly string[]> {
    try {
      return readEntries(await readTail(this.#options.file));
    } catch (error) {
      this.#options.log.warn("The input history cannot be read.", { error: describe(error) });
      return [];
    }
  }

  add(text: string, at: Date): void {
    if (text.trim() === "" || text.length > maxEntryChars || this.#options.isSecret(text)) return;
    const { file, log } = this.#options;
    this.#writing = this.#writing.then(async () => {
      try {
        await ensureDir(dirname(file));
        await appendFile(file, formatEntry(text, at), { mode: 0o600 });
      } catch (error) {
        log.warn("The input history cannot be written.", { error: describe(error) });
      }
    });
  }

  /** Resolves when everything is written. */
  flush(): Promise<void> {
    return this.#writing;
  }
}

export function formatEntry(text: string, at: Date): string {
  const time = at.toISOString().replace("T", " ").replace("Z", "000");
  const rows = text.split("\n").map((row) => `+${row}\n`);
  return `\n# ${time}\n${rows.join("")}`;
}

export function readEntries(text: string): readonly string[] {
  const entries: string[] = [];
  let rows: string[] = [];
  const close = (): void => {
    if (rows.length > 0) entries.push(rows.join("\n"));
    rows = [];
  };
  for (const line of text.split("\n")) {
    if (line.startsWith("+")) rows.push(line.slice(1));
    else close();
  }
  close();
  return [...new Set(entries.reverse())].slice(0, maxEntries);
}

async function readTail(file: string): Promise<string> {
  try {
    await using owned = await openOwned(file);
    const { size } = await owned.handle.stat();
    const length = Math.min(size, maxReadBytes);
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await owned.handle.read(bytes, 0, length, size - length);
    return bytes.subarray(0, bytesRead).toString("utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}

async function openOwned(file: string) {
  const handle = await open(file, "r");
  return { handle, [Symbol.asyncDispose]: () => handle.close() };
}

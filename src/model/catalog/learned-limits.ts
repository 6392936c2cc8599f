import { dirname } from "node:path";
import { systemErrorCode, UserError } from "#foundation/errors";
import { ensureDir, readTextFile, withFileLock, writeFileAtomic } from "#foundation/files/files";
import { readWindow } from "../model-facts.ts";

/** Several thousand models at several addresses; a larger file is not ours. */
const maxBytes = 1024 * 1024;
const maxEntries = 5_000;
const heading = "context_lengths";

/**
 * Windows learned from servers, by `model@base_url`, in `context_length_cache.yaml`. The file is a
 * flat map of numbers under one heading; that much YAML is read and written here, line by line, and
 * whatever else stands in it is ignored.
 */
export class LearnedLimits {
  readonly #path: string;
  #entries: ReadonlyMap<string, number> = new Map();

  constructor(path: string) {
    this.#path = path;
  }

  /** Reads the file; one that is missing or unreadable counts as empty, since everything in it can be learned again. */
  async load(): Promise<void> {
    this.#entries = parseLimits((await readQuietly(this.#path)) ?? "");
  }

  get(model: string, baseUrl: string): number | undefined {
    return this.#entries.get(keyOf(model, baseUrl));
  }

  /** Stores a confirmed window. Entries other processes wrote meanwhile are kept. */
  async learn(
    entry: { readonly model: string; readonly baseUrl: string; readonly tokens: number },
    signal: AbortSignal,
  ): Promise<void> {
    const tokens = readWindow(entry.tokens);
    if (tokens === undefined || this.get(entry.model, entry.baseUrl) === tokens) return;
    await this.#change((entries) => entries.set(keyOf(entry.model, entry.baseUrl), tokens), signal);
  }

  async #change(change: (entries: Map<string, number>) => unknown, signal: AbortSignal): Promise<void> {
    await ensureDir(dirname(this.#path), 0o700);
    await withFileLock(
      `${this.#path}.lock`,
      async () => {
        const entries = new Map(parseLimits((await readQuietly(this.#path)) ?? ""));
        change(entries);
        const newest = [...entries].slice(-maxEntries);
        await writeFileAtomic(this.#path, formatLimits(newest), { fsync: false });
        this.#entries = new Map(newest);
      },
      { signal, timeoutMs: 5_000 },
    );
  }
}

function keyOf(model: string, baseUrl: string): string {
  return `${model}@${baseUrl.replace(/\/+$/, "")}`;
}

async function readQuietly(path: string): Promise<string | undefined> {
  try {
    return await readTextFile(path, { maxBytes });
  } catch (error) {
    // Unreadable for whatever reason of the file system or too large: start afresh. A bug is not one of these.
    if (systemErrorCode(error) === undefined && !(error instanceof UserError)) throw error;
    return undefined;
  }
}

/** `key: number` per line; keys may be quoted and may hold colons, as addresses do. */
export function parseLimits(text: string): ReadonlyMap<string, number> {
  const entries = new Map<string, number>();
  for (const line of text.split("\n").slice(0, 2 * maxEntries)) {
    const match = /^\s*(.{1,600}?)\s*:\s+(\d{1,9})\s*(?:#.*)?$/.exec(line);
    if (match === null) continue;
    const key = unquote(match[1] ?? "");
    const tokens = readWindow(Number(match[2]));
    if (key === undefined || tokens === undefined) continue;
    if (key.includes("@")) entries.set(key, tokens);
  }
  return entries;
}

export function formatLimits(entries: readonly (readonly [string, number])[]): string {
  const lines = entries.map(([key, tokens]) => `  ${quote(key)}: ${tokens}`);
  return `${[`${heading}:${lines.length === 0 ? " {}" : ""}`, ...lines].join("\n")}\n`;
}

/** Plain where YAML reads it as the same text; else in double quotes, which are those of JSON. */
function quote(key: string): string {
  return /^[A-Za-z0-9][\w./@+-]*(?::[\w./@+-]+)*$/.test(key) ? key : JSON.stringify(key);
}

function unquote(key: string): string | undefined {
  if (key.startsWith('"')) {
    try {
      const value: unknown = JSON.parse(key);
      return typeof value === "string" ? value : undefined;
    } catch {
      // Not the quoting we or a YAML writer would use for such a key.
      return undefined;
    }
  }
  if (key.startsWith("'"))
    return key.endsWith("'") && key.length > 1 ? key.slice(1, -1).replaceAll("''", "'") : undefined;
  return key.startsWith("#") ? undefined : key;
}

import path from "node:path";
import { ensureDir, readTextFile, withFileLock, writeFileAtomic } from "#foundation/files/files";
import { never } from "#foundation/lifecycle/abort";
import { isRecord, parseJson, toJsonText } from "#foundation/text/json";

/** Names of what is kept elsewhere for later terminals, by key, in a file that a person can read. */
export class KeptNames {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  async get(key: string): Promise<string | undefined> {
    return (await this.all())[key];
  }

  async all(): Promise<Readonly<Record<string, string>>> {
    const parsed = parseJson((await readTextFile(this.#file, { maxBytes: 1_000_000 })) ?? "{}");
    const entries = parsed.ok && isRecord(parsed.value) ? Object.entries(parsed.value) : [];
    return Object.fromEntries(
      entries.flatMap(([key, name]) => (typeof name === "string" ? [[key, name] as const] : [])),
    );
  }

  /** Undefined forgets a name. Programs that share the file lose nothing of each other's. */
  async change(changes: Readonly<Record<string, string | undefined>>): Promise<void> {
    await ensureDir(path.dirname(this.#file), 0o700);
    await withFileLock(
      `${this.#file}.lock`,
      async () => {
        const merged = Object.entries({ ...(await this.all()), ...changes }).filter(([, name]) => name !== undefined);
        await writeFileAtomic(this.#file, `${toJsonText(Object.fromEntries(merged))}\n`, { mode: 0o600 });
      },
      { signal: never, timeoutMs: 10_000 },
    );
  }
}

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { readTextFile, withFileLock, writeFileAtomic } from "#foundation/files";
import { isRecord, parseJson } from "#foundation/json";

const maxFileBytes = 1024 * 1024;

/** Which shell hooks the person has allowed: once per event and command, and again when a script changed. */
export class ShellConsent {
  readonly #path: string;
  readonly #signal: AbortSignal;

  constructor(path: string, signal: AbortSignal) {
    this.#path = path;
    this.#signal = signal;
  }

  async isAllowed(event: string, argv: readonly string[]): Promise<boolean> {
    const all = await this.#read();
    return all[keyOf(event, argv)] === (await printOf(argv));
  }

  async allow(event: string, argv: readonly string[]): Promise<void> {
    const print = await printOf(argv);
    await this.#change((all) => ({ ...all, [keyOf(event, argv)]: print }));
  }

  /** Takes back what was allowed for this command, whatever the event. */
  async revoke(argv: readonly string[]): Promise<void> {
    const ending = keyOf("", argv);
    await this.#change((all) => Object.fromEntries(Object.entries(all).filter(([key]) => !key.endsWith(ending))));
  }

  async #read(): Promise<Readonly<Record<string, string>>> {
    const parsed = parseJson((await readTextFile(this.#path, { maxBytes: maxFileBytes })) ?? "{}");
    if (!parsed.ok || !isRecord(parsed.value)) return {};
    return Object.fromEntries(
      Object.entries(parsed.value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
  }

  async #change(change: (all: Readonly<Record<string, string>>) => Readonly<Record<string, string>>): Promise<void> {
    await withFileLock(
      `${this.#path}.lock`,
      async () =>
        writeFileAtomic(this.#path, `${JSON.stringify(change(await this.#read()), null, 2)}\n`, { mode: 0o600 }),
      { signal: this.#signal },
    );
  }
}

function keyOf(event: string, argv: readonly string[]): string {
  return `${event} ${JSON.stringify(argv)}`;
}

/** A hash over every file the command names by its full path: the script, not only the interpreter. */
async function printOf(argv: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const word of argv.filter(isAbsolute)) {
    hash.update(word);
    await readFile(word).then(
      (bytes) => hash.update(bytes),
      () => hash.update("\0missing"),
    );
  }
  return hash.digest("hex");
}

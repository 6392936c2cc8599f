import { mkdir } from "node:fs/promises";
import path from "node:path";
import { readTextFile, writeFileAtomic } from "#foundation/files/files";

export interface ServiceText {
  /** What this installation would write. */
  text(): Promise<string>;
  /** The line that holds the search path: that of the shell which installed it counts, not that of every later one. */
  readonly pathLine: RegExp;
}

const maxBytes = 100_000;

/** The file a service manager reads. */
export class ServiceFile {
  readonly #file: string;
  readonly #current: ServiceText;

  constructor(file: string, current: ServiceText) {
    this.#file = file;
    this.#current = current;
  }

  async exists(): Promise<boolean> {
    return (await readTextFile(this.#file, { maxBytes })) !== undefined;
  }

  async write(text?: string): Promise<void> {
    await mkdir(path.dirname(this.#file), { recursive: true });
    await writeFileAtomic(this.#file, text ?? (await this.#current.text()));
  }

  /** Writes it anew where it differs. What it was may hold changes of a person, or be of an earlier Hermes: it is kept. */
  async refresh(): Promise<string | undefined> {
    const before = await readTextFile(this.#file, { maxBytes });
    if (before === undefined) return undefined;
    const { pathLine } = this.#current;
    const after = (await this.#current.text()).replace(pathLine, (line) => pathLine.exec(before)?.[0] ?? line);
    if (after === before) return undefined;
    const kept = `${this.#file}.previous`;
    await writeFileAtomic(kept, before);
    await this.write(after);
    return kept;
  }
}

import { createReadStream } from "node:fs";
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";

/** Where one process leaves a file for another, under a name that both know. */
export interface Bucket {
  /** False: what is left here is found on this machine only. */
  readonly isShared: boolean;
  put(name: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** Undefined when there is none of that name. */
  get(name: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array> | undefined>;
  remove(name: string, signal: AbortSignal): Promise<void>;
}

/** A folder of the home, for processes of one machine. */
export class FolderBucket implements Bucket {
  readonly isShared = false;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async put(name: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(this.#file(name), bytes, { mode: 0o600, signal });
  }

  async get(name: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array> | undefined> {
    const file = this.#file(name);
    const found = await stat(file).catch(() => undefined);
    return found?.isFile() === true ? createReadStream(file, { signal }) : undefined;
  }

  async remove(name: string): Promise<void> {
    await rm(this.#file(name), { force: true });
  }

  /** Named as files of messages are, so that one that nobody fetched is forgotten with them. */
  #file(name: string): string {
    return path.join(this.#folder, `doc_${name}`);
  }
}

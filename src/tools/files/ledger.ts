import { createHash } from "node:crypto";
import { KeyedMutex } from "#foundation/lifecycle/mutex";

/** What a file looked like at one moment, as far as that tells versions apart. */
export interface Stamp {
  readonly size: number;
  readonly modifiedMs: number;
  /** Of the content, for files small enough to be hashed. */
  readonly hash: string | undefined;
}

export function stampOf(facts: { readonly size: number; readonly modifiedMs: number }, bytes?: Uint8Array): Stamp {
  const hash = bytes === undefined || bytes.length > maxHashedBytes ? undefined : hashOf(bytes);
  return { size: facts.size, modifiedMs: facts.modifiedMs, hash };
}

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export type StaleReason =
  | { readonly kind: "changed-on-disk" }
  | { readonly kind: "sibling-wrote"; readonly agent: string }
  | { readonly kind: "partial-view" }
  | { readonly kind: "never-read"; readonly agent: string };

const maxHashedBytes = 1024 * 1024;
const maxPaths = 4_096;

interface Read {
  readonly stamp: Stamp;
  readonly isPartial: boolean;
  readonly order: number;
}

interface Write {
  readonly agent: string;
  readonly order: number;
}

/**
 * What each agent of this process has read and written, so that none overwrites what it has not
 * seen. Stamps are taken in the terminal where the file lives. One ledger serves all agents.
 */
export class FileLedger {
  readonly #reads = new Map<string, Map<string, Read>>();
  readonly #writes = new Map<string, Write>();
  readonly #locks = new KeyedMutex<string>();
  #order = 0;

  noteRead(agent: string, path: string, read: { readonly stamp: Stamp; readonly isPartial: boolean }): void {
    const own = this.#reads.get(agent) ?? new Map<string, Read>();
    this.#reads.set(agent, own);
    keep(own, path, { ...read, order: this.#next() });
  }

  /** A write is also a full reading of what was written. */
  noteWrite(agent: string, path: string, stamp: Stamp): void {
    keep(this.#writes, path, { agent, order: this.#next() });
    this.noteRead(agent, path, { stamp, isPartial: false });
  }

  /** Why writing this path now may lose something, or undefined. `now` is what is on disk. */
  stale(agent: string, path: string, now: Stamp | undefined): StaleReason | undefined {
    if (now === undefined) return undefined;
    const read = this.#reads.get(agent)?.get(path);
    const write = this.#writes.get(path);
    if (write !== undefined && write.agent !== agent && write.order > (read?.order ?? -1)) {
      return read === undefined
        ? { kind: "never-read", agent: write.agent }
        : { kind: "sibling-wrote", agent: write.agent };
    }
    if (read === undefined) return undefined;
    if (!isSame(read.stamp, now)) return { kind: "changed-on-disk" };
    return read.isPartial ? { kind: "partial-view" } : undefined;
  }

  /** Paths among `read` that another agent wrote after `agent` read them. */
  changedByOthers(agent: string): readonly string[] {
    return [...(this.#reads.get(agent) ?? [])]
      .filter(([path, read]) => {
        const write = this.#writes.get(path);
        return write !== undefined && write.agent !== agent && write.order > read.order;
      })
      .map(([path]) => path);
  }

  /** Runs while holding all paths, taken in sorted order so that two patches cannot wait for each other. */
  async withLocks<T>(paths: readonly string[], run: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const [first, ...rest] = [...new Set(paths)].sort();
    if (first === undefined) return run();
    return this.#locks.run(first, () => this.withLocks(rest, run, signal), signal);
  }

  forget(agent: string): void {
    this.#reads.delete(agent);
  }

  #next(): number {
    this.#order += 1;
    return this.#order;
  }
}

function isSame(left: Stamp, right: Stamp): boolean {
  if (left.hash !== undefined && right.hash !== undefined) return left.hash === right.hash;
  return left.size === right.size && left.modifiedMs === right.modifiedMs;
}

/** Keeps a map bounded; the entry touched longest ago goes first. */
function keep<K, V>(map: Map<K, V>, key: K, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= maxPaths) return;
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
}

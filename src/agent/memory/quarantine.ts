import { join } from "node:path";
import type { Clock } from "#foundation/clock";
import { writeFileAtomic } from "#foundation/files";
import { newId } from "#foundation/ids";
import { Mutex } from "#foundation/mutex";
import type { NoteChange } from "./change.ts";
import { type MemoryTarget, memoryTargets } from "./entries.ts";
import { type JsonLine, readLines, writeLines } from "./json-lines.ts";
import { withLockDirectory } from "./lock-directory.ts";
import { readOwnText } from "./notes-file.ts";

/** A change that waits for the user, because the turn that wanted it had read text from strangers. */
export interface PendingWrite {
  readonly id: string;
  /** Unix time in milliseconds. */
  readonly atMs: number;
  readonly target: MemoryTarget;
  readonly change: NoteChange;
  /** What the turn had read: an address, a file, a tool. */
  readonly source: string;
  readonly sessionId: string;
}

export type Parked =
  | { readonly kind: "parked"; readonly id: string; readonly isNew: boolean }
  | { readonly kind: "full"; readonly count: number };

const maxPending = 100;
const maxSourceChars = 200;

/** `memories/pending.jsonl`. Nothing in it is ever shown to a model before a person has confirmed it. */
export class Quarantine {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #queue = new Mutex();

  constructor(options: { readonly folder: string; readonly clock: Clock }) {
    this.#path = join(options.folder, "pending.jsonl");
    this.#clock = options.clock;
  }

  /** Oldest first. */
  async list(): Promise<readonly PendingWrite[]> {
    return (await this.#lines()).flatMap(({ record }) => (record === undefined ? [] : [record]));
  }

  park(write: Omit<PendingWrite, "id" | "atMs">, signal: AbortSignal): Promise<Parked> {
    return this.#exclusively<Parked>(async (lines) => {
      const same = lines.find(({ record }) => record !== undefined && isSame(record, write))?.record;
      if (same !== undefined) return { value: { kind: "parked", id: same.id, isNew: false } };
      if (lines.length >= maxPending) return { value: { kind: "full", count: lines.length } };
      const pending = {
        ...write,
        id: newId("mem"),
        atMs: this.#clock.now(),
        source: write.source.slice(0, maxSourceChars),
      };
      return {
        value: { kind: "parked", id: pending.id, isNew: true },
        lines: [...lines.map(({ raw }) => raw), JSON.stringify(toRecord(pending))],
      };
    }, signal);
  }

  /**
   * Settles one pending write: `work` is run while nobody else can settle it, and the write is gone once `work` says
   * so. A crash in between leaves it pending, and carrying it out twice changes nothing the second time.
   */
  settle<T>(
    id: string,
    work: (write: PendingWrite) => Promise<{ readonly value: T; readonly isDone: boolean }>,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    return this.#exclusively(async (lines) => {
      const found = lines.find(({ record }) => record?.id === id);
      if (found?.record === undefined) return { value: undefined };
      const { value, isDone } = await work(found.record);
      if (!isDone) return { value };
      return { value, lines: lines.filter((line) => line !== found).map(({ raw }) => raw) };
    }, signal);
  }

  async #lines(): Promise<readonly JsonLine<PendingWrite>[]> {
    return readLines(await readOwnText(this.#path), toPending);
  }

  #exclusively<T>(
    work: (
      lines: readonly JsonLine<PendingWrite>[],
    ) => Promise<{ readonly value: T; readonly lines?: readonly string[] }>,
    signal: AbortSignal,
  ): Promise<T> {
    const locked = (): Promise<T> =>
      withLockDirectory(
        `${this.#path}.lockdir`,
        async () => {
          const { value, lines } = await work(await this.#lines());
          if (lines !== undefined) await writeFileAtomic(this.#path, writeLines(lines), { mode: 0o600 });
          return value;
        },
        { clock: this.#clock, signal },
      );
    return this.#queue.run(locked, signal);
  }
}

function isSame(known: PendingWrite, wanted: Pick<PendingWrite, "target" | "change">): boolean {
  return (
    known.target === wanted.target &&
    JSON.stringify(changeFields(known.change)) === JSON.stringify(changeFields(wanted.change))
  );
}

function changeFields(change: NoteChange): Readonly<Record<string, string>> {
  switch (change.action) {
    case "add":
      return { action: change.action, content: change.content };
    case "replace":
      return { action: change.action, old_text: change.oldText, content: change.content };
    case "remove":
      return { action: change.action, old_text: change.oldText };
  }
}

function toRecord(write: PendingWrite): Readonly<Record<string, unknown>> {
  const { id, atMs, target, source, sessionId } = write;
  return { id, at_ms: atMs, target, ...changeFields(write.change), source, session_id: sessionId };
}

function toPending(record: Readonly<Record<string, unknown>>): PendingWrite | undefined {
  const { id, at_ms: atMs, source, session_id: sessionId } = record;
  const target = memoryTargets.find((one) => one === record["target"]);
  const change = toChange(record);
  if (typeof id !== "string" || target === undefined || change === undefined) return undefined;
  return {
    id,
    atMs: typeof atMs === "number" ? atMs : 0,
    target,
    change,
    source: typeof source === "string" ? source : "unknown",
    sessionId: typeof sessionId === "string" ? sessionId : "",
  };
}

function toChange(record: Readonly<Record<string, unknown>>): NoteChange | undefined {
  const { action, content, old_text: oldText } = record;
  if (action === "add" && typeof content === "string") return { action, content };
  if (action === "remove" && typeof oldText === "string") return { action, oldText };
  if (action === "replace" && typeof oldText === "string" && typeof content === "string")
    return { action, oldText, content };
  return undefined;
}

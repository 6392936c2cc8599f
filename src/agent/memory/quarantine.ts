import { join } from "node:path";
import { writeFileAtomic } from "#foundation/files/files";
import { Mutex } from "#foundation/lifecycle/mutex";
import { newId } from "#foundation/text/ids";
import { canonicalJson, isRecord } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import type { NoteChange } from "./entries.ts";
import { type MemoryTarget, memoryTargets } from "./entries.ts";
import { type JsonLine, readLines, readOwnText, withLockDirectory, writeLines } from "./locked-files.ts";

interface Pending {
  readonly id: string;
  /** Unix time in milliseconds. */
  readonly atMs: number;
  /** What the turn had read: an address, a file, a tool. */
  readonly source: string;
  readonly sessionId: string;
}

/** A change of the notes. */
export interface PendingNote extends Pending {
  readonly kind: "note";
  readonly target: MemoryTarget;
  readonly change: NoteChange;
}

/** A call of a memory provider's tool that would write. */
export interface PendingCall extends Pending {
  readonly kind: "call";
  readonly provider: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What waits for the user, because the turn that wanted it had read text from strangers. */
export type PendingWrite = PendingNote | PendingCall;

export type NewPending = Omit<PendingNote, "id" | "atMs"> | Omit<PendingCall, "id" | "atMs">;

export type Parked =
  | { readonly kind: "parked"; readonly id: string; readonly isNew: boolean }
  | { readonly kind: "full"; readonly count: number };

const maxPending = 100;
const maxSourceChars = 200;
const maxCallChars = 20_000;

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

  park(write: NewPending, signal: AbortSignal): Promise<Parked> {
    return this.#exclusively<Parked>(async (lines) => {
      const same = lines.find(({ record }) => record !== undefined && isSame(record, write))?.record;
      if (same !== undefined) return { value: { kind: "parked", id: same.id, isNew: false } };
      const isTooLong = write.kind === "call" && JSON.stringify(write.args).length > maxCallChars;
      if (lines.length >= maxPending || isTooLong) return { value: { kind: "full", count: lines.length } };
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

/** What waits, in words for a person. */
export function pendingText(write: PendingWrite): string {
  if (write.kind === "call") return `${write.tool} ${JSON.stringify(write.args)}`;
  return write.change.action === "remove" ? write.change.oldText : write.change.content;
}

function isSame(known: PendingWrite, wanted: NewPending): boolean {
  return canonicalJson(wantedFields(known)) === canonicalJson(wantedFields(wanted));
}

function wantedFields(write: NewPending): Readonly<Record<string, unknown>> {
  if (write.kind === "note") return { target: write.target, ...changeFields(write.change) };
  return { provider: write.provider, tool: write.tool, args: write.args };
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
  const { id, atMs, source, sessionId } = write;
  return { id, at_ms: atMs, ...wantedFields(write), source, session_id: sessionId };
}

function toPending(record: Readonly<Record<string, unknown>>): PendingWrite | undefined {
  const { id, at_ms: atMs, source, session_id: sessionId, provider, tool, args } = record;
  if (typeof id !== "string") return undefined;
  const pending = {
    id,
    atMs: typeof atMs === "number" ? atMs : 0,
    source: typeof source === "string" ? source : "unknown",
    sessionId: typeof sessionId === "string" ? sessionId : "",
  };
  if (typeof provider === "string" && typeof tool === "string" && isRecord(args))
    return { ...pending, kind: "call", provider, tool, args };
  const target = memoryTargets.find((one) => one === record["target"]);
  const change = toChange(record);
  return target === undefined || change === undefined ? undefined : { ...pending, kind: "note", target, change };
}

function toChange(record: Readonly<Record<string, unknown>>): NoteChange | undefined {
  const { action, content, old_text: oldText } = record;
  if (action === "add" && typeof content === "string") return { action, content };
  if (action === "remove" && typeof oldText === "string") return { action, oldText };
  if (action === "replace" && typeof oldText === "string" && typeof content === "string")
    return { action, oldText, content };
  return undefined;
}

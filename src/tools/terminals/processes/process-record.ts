import { rename } from "node:fs/promises";
import { systemErrorCode } from "#foundation/errors";
import { readTextFile, withFileLock, writeFileAtomic } from "#foundation/files/files";
import { isRecord, parseJson } from "#foundation/text/json";
import type { BackgroundProcess, ProcessFacts } from "./background-process.ts";
import type { ProcessRoute } from "./process-event.ts";
import { isAlive } from "./same-process.ts";

/**
 * The list of running processes as it survives a crash (`processes.json`). Several programs may share a home:
 *
 * 1. Each entry names its owner, and nobody but the owner changes or removes it while the owner lives.
 * 2. Reading and writing again happens under a lock.
 * 3. What ended with its program, and was to be told of, stays in the list for a day, until somebody tells it.
 */
export interface ProcessRecord {
  readonly facts: ProcessFacts;
  readonly notifyOnComplete: boolean;
}

const maxBytes = 4 * 1_048_576;
const lockTimeoutMs = 5_000;
const endedKeptMs = 86_400_000;
const mostEnded = 20;

/** The table that looks after a process. Two of them in one program have different ids. */
export interface RecordOwner {
  readonly id: string;
  readonly pid: number;
  readonly startedAtMs: number | undefined;
}

export interface RecordFile {
  readonly file: string;
  readonly owner: RecordOwner;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** Writes what this owner runs; what other living programs run stays in the list. */
export async function writeRecords(records: RecordFile, processes: readonly BackgroundProcess[]): Promise<void> {
  await exclusively(records, async () => {
    const { others, ended } = await entriesIn(records);
    await write(records.file, [...others, ...ended, ...processes.map((process) => entryOf(process, records.owner))]);
  });
}

/** Takes over what programs that are gone have left alive; the entries are this owner's from then on. */
export async function claimRecords(records: RecordFile): Promise<readonly ProcessRecord[]> {
  return await exclusively(records, async () => {
    const { others, own, orphans, ended } = await entriesIn(records);
    const claimed = orphans.flatMap((entry) => recordOf(entry) ?? []);
    const mine = new Set(claimed.map(({ facts }) => facts.id));
    const kept = orphans.filter((entry) => mine.has(String(entry["session_id"])));
    await write(records.file, [
      ...others,
      ...own,
      ...ended,
      ...kept.map((entry) => ({ ...entry, ...ownerFields(records.owner) })),
    ]);
    return claimed;
  });
}

/** Takes what ended with its program and has not been told of; it leaves the list. */
export async function claimEnded(records: RecordFile): Promise<readonly ProcessRecord[]> {
  return await exclusively(records, async () => {
    const { others, own, orphans, ended } = await entriesIn(records);
    if (ended.length > 0) await write(records.file, [...others, ...own, ...orphans]);
    return ended.flatMap((entry) => recordOf(entry) ?? []);
  });
}

type Entry = Readonly<Record<string, unknown>>;

interface Entries {
  readonly own: readonly Entry[];
  /** Of programs that still run. */
  readonly others: readonly Entry[];
  /** Still running on this machine, while the program that started them does not. */
  readonly orphans: readonly Entry[];
  /** Ended with the program that started them, and somebody waits to hear of it. */
  readonly ended: readonly Entry[];
}

async function entriesIn({ file, owner, nowMs, signal }: RecordFile): Promise<Entries> {
  const own: Entry[] = [];
  const others: Entry[] = [];
  const orphans: Entry[] = [];
  const ended: Entry[] = [];
  for (const entry of await readEntries(file, nowMs)) {
    const holder = { pid: numberOf(entry["owner_pid"]), startedAtMs: numberOf(entry["owner_started_at_ms"]) };
    const itself = { pid: numberOf(entry["pid"]), startedAtMs: numberOf(entry["pid_started_at_ms"]) };
    if (entry["owner"] === owner.id) own.push(entry);
    else if (await isAlive(holder, signal)) others.push(entry);
    else if (entry["pid_scope"] === "host" && (await isAlive(itself, signal))) orphans.push(entry);
    else if (isAwaited(entry, nowMs)) ended.push(entry);
  }
  return { own, others, orphans, ended: ended.slice(-mostEnded) };
}

function isAwaited(entry: Entry, nowMs: number): boolean {
  const startedAtMs = (numberOf(entry["started_at"]) ?? 0) * 1_000;
  return entry["pid_scope"] === "host" && entry["notify_on_complete"] === true && nowMs - startedAtMs < endedKeptMs;
}

async function exclusively<T>({ file, signal }: RecordFile, work: () => Promise<T>): Promise<T> {
  return await withFileLock(`${file}.lock`, work, { signal, timeoutMs: lockTimeoutMs });
}

function ownerFields({ id, pid, startedAtMs }: RecordOwner) {
  return { owner: id, owner_pid: pid, owner_started_at_ms: startedAtMs ?? null };
}

function entryOf({ facts, notifyOnComplete }: BackgroundProcess, owner: RecordOwner) {
  return {
    ...ownerFields(owner),
    session_id: facts.id,
    command: facts.command,
    pid: facts.pid ?? null,
    pid_scope: facts.pidScope,
    pid_started_at_ms: facts.systemStartMs ?? null,
    cwd: facts.cwd,
    started_at: facts.startedAtMs / 1_000,
    task_id: facts.taskId,
    session_key: facts.sessionKey,
    route: facts.route,
    notify_on_complete: notifyOnComplete,
    watch_patterns: facts.watchPatterns,
    output_file: facts.outputFile ?? null,
  };
}

async function write(file: string, entries: readonly Entry[]): Promise<void> {
  await writeFileAtomic(file, `${JSON.stringify(entries, undefined, 1)}\n`, { mode: 0o600, fsync: false });
}

/** A file that cannot be read is put aside and counts as empty. */
async function readEntries(file: string, nowMs: number): Promise<readonly Entry[]> {
  const text = await readTextFile(file, { maxBytes });
  if (text === undefined) return [];
  const parsed = parseJson(text);
  if (!parsed.ok || !Array.isArray(parsed.value)) {
    await setAside(file, `${file}.corrupt-${nowMs}`);
    return [];
  }
  return parsed.value.filter(isRecord);
}

async function setAside(file: string, as: string): Promise<void> {
  try {
    await rename(file, as);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
  }
}

function recordOf(entry: Entry): ProcessRecord | undefined {
  const id = stringIn(entry["session_id"]);
  const pid = numberOf(entry["pid"]);
  if (id === undefined || !/^proc_[0-9a-f]{12}$/.test(id) || pid === undefined || pid <= 1) return undefined;
  return {
    facts: {
      id,
      command: stringIn(entry["command"]) ?? "",
      cwd: stringIn(entry["cwd"]) ?? "/",
      taskId: stringIn(entry["task_id"]) ?? "default",
      sessionKey: stringIn(entry["session_key"]) ?? "",
      route: routeOf(entry["route"]),
      pidScope: entry["pid_scope"] === "host" ? "host" : "sandbox",
      pid,
      startedAtMs: (numberOf(entry["started_at"]) ?? 0) * 1_000,
      systemStartMs: numberOf(entry["pid_started_at_ms"]),
      watchPatterns: [],
      outputFile: stringIn(entry["output_file"]),
    },
    notifyOnComplete: entry["notify_on_complete"] === true,
  };
}

function routeOf(value: unknown): ProcessRoute {
  if (!isRecord(value)) return {};
  const names = ["platform", "chat_id", "user_id", "user_name", "thread_id"] as const;
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = stringIn(value[name]);
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

function stringIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

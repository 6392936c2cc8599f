import { rmSync } from "node:fs";
import { UserError } from "#foundation/errors";
import { readTextFile, withFileLock, writeFileAtomic } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { isAlive } from "#foundation/process/alive";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";

export interface InstanceDeps {
  readonly home: HermesHome;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The process that serves the chats of a home, as its file names it. */
export interface InstanceRecord {
  readonly pid: number;
  readonly argv: readonly string[];
}

const maxBytes = 65_536;
const pollMs = 500;
const stopMs = 10_000;
const takeoverLivesMs = 60_000;

/**
 * Runs the gateway of a home, of which there is one. A lock file says so; one that its process left behind when it died
 * counts for nothing. Nothing outside is touched before the lock is held.
 */
export async function asOnlyInstance<T>(
  { home, clock, signal }: InstanceDeps,
  { replaces }: { readonly replaces: boolean },
  work: () => Promise<T>,
): Promise<T> {
  const running = await runningInstance(home);
  if (running !== undefined && running.pid !== process.pid) {
    if (!replaces) throw alreadyRunning(running.pid);
    await takeOver(running.pid, { home, clock, signal });
  }
  try {
    return await withFileLock(home.at("gateway.lock"), () => withPidFile(home, work), { signal, timeoutMs: 2_000 });
  } catch (error) {
    const other = await runningInstance(home);
    if (other !== undefined && other.pid !== process.pid && !signal.aborted) throw alreadyRunning(other.pid);
    throw error;
  }
}

async function withPidFile<T>(home: HermesHome, work: () => Promise<T>): Promise<T> {
  const record = { pid: process.pid, kind: "hermes-gateway", argv: process.argv, start_time: null };
  await writeFileAtomic(home.gatewayPid, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  try {
    return await work();
  } finally {
    if ((await readRecord(home))?.pid === process.pid) rmSync(home.gatewayPid, { force: true });
  }
}

/** The instance that runs now; a file whose process is gone names none. */
export async function runningInstance(home: HermesHome): Promise<InstanceRecord | undefined> {
  const record = await readRecord(home);
  return record !== undefined && isAlive(record.pid) ? record : undefined;
}

async function readRecord(home: HermesHome): Promise<InstanceRecord | undefined> {
  const text = (await readTextFile(home.gatewayPid, { maxBytes })) ?? "";
  const parsed = parseJson(text);
  if (parsed.ok && typeof parsed.value === "number") return { pid: parsed.value, argv: [] };
  if (!parsed.ok || !isRecord(parsed.value)) return undefined;
  const { pid, argv } = parsed.value;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return { pid, argv: Array.isArray(argv) ? argv.map(String) : [] };
}

/** Asks a process to end and waits until it has; false when it has not. */
export async function endProcess(
  pid: number,
  {
    clock,
    signal,
    force,
    waitMs = stopMs,
  }: {
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly force: boolean;
    readonly waitMs?: number;
  },
): Promise<boolean> {
  kill(pid, "SIGTERM");
  if (await hasEnded(pid, { clock, signal, waitMs })) return true;
  if (!force) return false;
  kill(pid, "SIGKILL");
  return await hasEnded(pid, { clock, signal, waitMs: 2_000 });
}

export async function hasEnded(
  pid: number,
  { clock, signal, waitMs }: { readonly clock: Clock; readonly signal: AbortSignal; readonly waitMs: number },
): Promise<boolean> {
  for (const untilMs = clock.now() + waitMs; isAlive(pid); ) {
    if (clock.now() >= untilMs) return false;
    await clock.sleep(pollMs, signal);
  }
  return true;
}

async function takeOver(pid: number, { home, clock, signal }: InstanceDeps): Promise<void> {
  const marker = { target_pid: pid, replacer_pid: process.pid, written_at: clock.now() };
  const file = takeoverFile(home);
  await writeFileAtomic(file, JSON.stringify(marker), { mode: 0o600 });
  try {
    if (!(await endProcess(pid, { clock, signal, force: true })))
      throw new UserError(`The gateway that runs (process ${pid}) does not end.`);
  } finally {
    rmSync(file, { force: true });
  }
}

/** Whether this process ends because another takes its place: that is no failure. */
export async function isTakenOver(home: HermesHome, clock: Clock): Promise<boolean> {
  const parsed = parseJson((await readTextFile(takeoverFile(home), { maxBytes })) ?? "");
  if (!parsed.ok || !isRecord(parsed.value)) return false;
  const { target_pid: pid, written_at: atMs } = parsed.value;
  return pid === process.pid && typeof atMs === "number" && clock.now() - atMs < takeoverLivesMs;
}

function takeoverFile(home: HermesHome): string {
  return home.at(".gateway-takeover.json");
}

function alreadyRunning(pid: number): UserError {
  return new UserError(`A gateway runs in this home already (process ${pid}).`, {
    hint: "hermes gateway restart starts it anew, hermes gateway stop ends it, hermes gateway run --replace takes its place.",
    code: "gateway_running",
  });
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

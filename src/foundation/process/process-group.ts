import { readdir, readFile } from "node:fs/promises";
import { systemErrorCode } from "../errors.ts";
import { never, sleep } from "../lifecycle/abort.ts";

export interface KillOptions {
  /** How long a polite request may take before it becomes an order (default 2 s). */
  readonly graceMs?: number | undefined;
}

const pollMs = 10;
const lastWaitMs = 1_000;

/**
 * Ends a process group: SIGTERM to all of it, and SIGKILL to whoever is left after the grace. Returns
 * when nobody in the group runs any more, or shortly after SIGKILL when the kernel keeps a part of it
 * (a process in uninterruptible sleep).
 */
export async function killGroup(pid: number, options: KillOptions = {}): Promise<void> {
  if (!Number.isInteger(pid) || pid <= 1) throw new RangeError(`not a process group that may be ended: ${pid}`);
  const graceMs = options.graceMs ?? 2_000;
  if (graceMs > 0) {
    if (!signalGroup(pid, "SIGTERM") || (await isGoneWithin(pid, graceMs))) return;
  }
  if (!signalGroup(pid, "SIGKILL")) return;
  await isGoneWithin(pid, lastWaitMs);
}

/** Sends a signal to every member; false when there is no such group any more. */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal);
    return true;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "ESRCH") return false;
    // EPERM: members exist that changed their user. They are there, and not ours to end.
    if (code === "EPERM") return signal === 0;
    throw error;
  }
}

async function isGoneWithin(pid: number, limitMs: number): Promise<boolean> {
  const startMs = Date.now();
  let lookAgainAfterMs = 20;
  while (signalGroup(pid, 0)) {
    const passedMs = Date.now() - startMs;
    if (passedMs >= lookAgainAfterMs) {
      if (!(await hasLivingMember(pid))) return true;
      lookAgainAfterMs *= 2;
    }
    if (passedMs >= limitMs) return false;
    await sleep(Math.min(pollMs, limitMs - passedMs), never);
  }
  return true;
}

/**
 * Whether anybody in the group still runs. The dead whom nobody has reaped count as members for the
 * kernel, and in a container without an init process they may stay for ever. Only Linux tells.
 */
async function hasLivingMember(group: number): Promise<boolean> {
  if (process.platform !== "linux") return true;
  const entries = await readdir("/proc").catch(() => undefined);
  if (entries === undefined) return true;
  const members = await Promise.all(entries.filter((name) => /^\d+$/.test(name)).map((name) => readState(name)));
  return members.some((member) => member?.group === group && member.state !== "Z" && member.state !== "X");
}

/** State and group of a process, from the fields after its bracketed name; undefined when it has just gone. */
async function readState(pid: string): Promise<{ readonly state: string; readonly group: number } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined);
  const [state, , group] = text?.slice(text.lastIndexOf(")") + 2).split(" ") ?? [];
  return state === undefined ? undefined : { state, group: Number(group) };
}

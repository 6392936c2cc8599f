import { readdir, readFile } from "node:fs/promises";
import { systemErrorCode } from "../errors.ts";
import { never, sleep } from "../lifecycle/abort.ts";

export interface KillOptions {
  /** How long a polite request may take before it becomes an order (default 2 s). */
  readonly graceMs?: number | undefined;
}

/** What is asked to end mostly does so at once; what does not is asked about ever less often. */
const firstPollMs = 1;
const longestPollMs = 10;
const lastWaitMs = 1_000;
const wallProgram = "bwrap";

/**
 * Ends a process group: SIGTERM to all of it, and SIGKILL to whoever is left after the grace. Returns
 * when nobody in the group runs any more, or shortly after SIGKILL when the kernel keeps a part of it
 * (a process in uninterruptible sleep).
 */
export async function killGroup(pid: number, options: KillOptions = {}): Promise<void> {
  if (!Number.isInteger(pid) || pid <= 1) throw new RangeError(`not a process group that may be ended: ${pid}`);
  const graceMs = options.graceMs ?? 2_000;
  if (graceMs > 0) {
    if (!(await askToEnd(pid)) || (await isGoneWithin(pid, graceMs))) return;
  }
  if (!signalGroup(pid, "SIGKILL")) return;
  await isGoneWithin(pid, lastWaitMs);
}

/**
 * SIGTERM for all. Bubblewrap at the head of a group would end at once and take what it holds along; so it is passed
 * over, and goes when the program inside has ended in its own way.
 */
async function askToEnd(pid: number): Promise<boolean> {
  const head = process.platform === "linux" ? await readState(String(pid)) : undefined;
  if (head?.name !== wallProgram) return signalGroup(pid, "SIGTERM");
  const inside = (await livingMembers(pid)).filter(({ name }) => name !== wallProgram);
  if (inside.length === 0) return signalGroup(pid, "SIGTERM");
  for (const member of inside) signalOne(member.pid, "SIGTERM");
  return true;
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It has ended meanwhile, or is not ours to end.
    if (!["ESRCH", "EPERM"].includes(systemErrorCode(error) ?? "")) throw error;
  }
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
  let pollMs = firstPollMs;
  while (signalGroup(pid, 0)) {
    const passedMs = Date.now() - startMs;
    if (passedMs >= lookAgainAfterMs) {
      if (!(await hasLivingMember(pid))) return true;
      lookAgainAfterMs *= 2;
    }
    if (passedMs >= limitMs) return false;
    await sleep(Math.min(pollMs, limitMs - passedMs), never);
    pollMs = Math.min(pollMs * 2, longestPollMs);
  }
  return true;
}

/**
 * Whether anybody in the group still runs. The dead whom nobody has reaped count as members for the
 * kernel, and in a container without an init process they may stay for ever. Only Linux tells.
 */
async function hasLivingMember(group: number): Promise<boolean> {
  if (process.platform !== "linux") return true;
  const members = await livingMembers(group).catch(() => undefined);
  return members === undefined || members.length > 0;
}

async function livingMembers(group: number): Promise<readonly Member[]> {
  const entries = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const members = await Promise.all(entries.map((name) => readState(name)));
  return members
    .filter((member) => member !== undefined)
    .filter((member) => member.group === group && member.state !== "Z" && member.state !== "X");
}

interface Member {
  readonly pid: number;
  readonly name: string;
  readonly state: string;
  readonly group: number;
}

/** Name, state and group of a process; undefined when it has just gone. */
async function readState(pid: string): Promise<Member | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined);
  if (text === undefined) return undefined;
  const end = text.lastIndexOf(")");
  const name = text.slice(text.indexOf("(") + 1, end);
  const [state, , group] = text.slice(end + 2).split(" ");
  return state === undefined ? undefined : { pid: Number(pid), name, state, group: Number(group) };
}

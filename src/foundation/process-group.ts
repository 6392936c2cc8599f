import { never, sleep } from "./abort.ts";
import { systemErrorCode } from "./errors.ts";

export interface KillOptions {
  /** How long a polite request may take before it becomes an order (default 2 s). */
  readonly graceMs?: number;
}

const pollMs = 10;
const lastWaitMs = 1_000;

/**
 * Ends a process group: SIGTERM to all of it, and SIGKILL to whoever is left after the grace. Returns
 * when the group is gone, or shortly after SIGKILL when the kernel still keeps a part (a zombie that
 * nobody reaps, a process in uninterruptible sleep).
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
  const endMs = Date.now() + limitMs;
  while (signalGroup(pid, 0)) {
    const leftMs = endMs - Date.now();
    if (leftMs <= 0) return false;
    await sleep(Math.min(pollMs, leftMs), never);
  }
  return true;
}

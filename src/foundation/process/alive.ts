import { systemErrorCode } from "../errors.ts";

/** Whether a process with this number runs on this machine. Yes where that cannot be asked: what it left stays. */
export function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) !== "ESRCH";
  }
}

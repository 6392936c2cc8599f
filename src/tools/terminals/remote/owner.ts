import { createHash, randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { processStartedAtMs } from "../process-start-time.ts";

/**
 * Who owns what was made elsewhere, in one word: machine, process, when that process started, and a part of its own. Nobody can ask
 * another machine whether a process of ours lives; we can, and then tidy up after one that died.
 */
export async function ownerWord(signal: AbortSignal): Promise<string> {
  const started = (await processStartedAtMs(process.pid, signal)) ?? 0;
  return `${machine()}.${process.pid}.${started.toString(36)}.${randomBytes(4).toString("hex")}`;
}

/** True when the word names a process of this machine that is gone. */
export async function isOwnerGone(word: string, signal: AbortSignal): Promise<boolean> {
  const [where, pid, started] = word.split(".");
  if (where !== machine() || pid === undefined || !/^\d+$/.test(pid)) return false;
  const startedAtMs = await processStartedAtMs(Number(pid), signal);
  return startedAtMs === undefined || startedAtMs.toString(36) !== started;
}

function machine(): string {
  return createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
}

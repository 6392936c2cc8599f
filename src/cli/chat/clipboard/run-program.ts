import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import { spawnProcess } from "#foundation/process/run";

export interface ProgramOutput {
  readonly isOk: boolean;
  readonly bytes: Buffer;
  /** The first line of what it complained about, or how it ended. */
  readonly complaint: string;
}

const maxBytes = 20 * 1024 * 1024;
const maxComplaint = 16 * 1024;
const timeoutMs = 10_000;

/** Runs a program whose output are bytes, not text. */
export async function runProgram(
  file: string,
  args: readonly string[],
  { env, signal }: { readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): Promise<ProgramOutput> {
  using limit = deadline(timeoutMs);
  const tooMuch = new AbortController();
  const child = await spawnProcess(file, args, {
    env,
    signal: linkSignals(signal, limit.signal, tooMuch.signal),
    graceMs: 500,
  });
  const parts: Buffer[] = [];
  let size = 0;
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) tooMuch.abort();
    else parts.push(chunk);
  });
  child.stderr.on("data", (chunk: Buffer) => {
    if (printed.length < maxComplaint) printed += chunk.toString("utf8");
  });
  const { exitCode } = await child.exited;
  signal.throwIfAborted();
  const line = printed.trim().split("\n")[0] ?? "";
  const complaint = tooMuch.signal.aborted
    ? "the image is larger than 20 MB"
    : limit.signal.aborted
      ? `no answer within ${timeoutMs / 1000} s`
      : line === ""
        ? `it ended with exit code ${exitCode ?? "none"}`
        : line;
  const isOk = exitCode === 0 && !tooMuch.signal.aborted && !limit.signal.aborted;
  return { isOk, bytes: Buffer.concat(parts), complaint };
}

import { shellPath } from "#foundation/process/platform";
import { runProcess } from "#foundation/process/run";
import { stripAnsi } from "#foundation/text/text";
import type { InlineShell } from "./preprocess.ts";

export interface InlineShellOptions {
  /** The whole environment of the commands. */
  readonly env: NodeJS.ProcessEnv;
  /** `skills.inline_shell_timeout`, in milliseconds. */
  readonly timeoutMs: number;
}

/** Commands in skill texts, run by the user's own shell on this machine. */
export function createInlineShell(options: InlineShellOptions): InlineShell {
  return async (command, { cwd, signal }) => {
    const done = await runProcess(shellPath(options.env), ["-c", command], {
      cwd,
      env: options.env,
      signal,
      timeoutMs: options.timeoutMs,
      maxOutputBytes: 65_536,
    });
    signal.throwIfAborted();
    if (done.timedOut) return { kind: "failed", reason: `no end within ${options.timeoutMs / 1_000} s` };
    const output = stripAnsi(done.stdout);
    if (done.exitCode === 0) return { kind: "output", text: output };
    const said = stripAnsi(done.stderr).trim() || output.trim();
    return { kind: "failed", reason: `exit code ${done.exitCode ?? "none"}${said === "" ? "" : `: ${said}`}` };
  };
}

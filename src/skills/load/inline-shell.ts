import { shellPath } from "#foundation/process/platform";
import { runProcess } from "#foundation/process/run";
import { stripAnsi } from "#foundation/text/text";
import type { SessionScope, SessionWall } from "#tools";
import type { InlineShell } from "./preprocess.ts";

export interface InlineShellOptions {
  /** The environment of the commands, already without secrets. */
  env(): NodeJS.ProcessEnv;
  /** `skills.inline_shell_timeout`, in milliseconds. */
  readonly timeoutMs: number;
  /** Holds the commands inside. */
  wall(scope: SessionScope, signal: AbortSignal): Promise<SessionWall>;
}

/** Commands in skill texts, run by the user's own shell behind the wall of the session that reads the skill. */
export function createInlineShell(options: InlineShellOptions): (scope: SessionScope) => InlineShell {
  return (scope) =>
    async (command, { cwd, signal }) => {
      const wall = await options.wall(scope, signal);
      if (wall.isMissing) return { kind: "failed", reason: "no sandbox works on this machine to run it in" };
      const env = options.env();
      const shell = { program: shellPath(env), args: ["-c", command] };
      const { program, args } = wall.confine(shell, { cwd, isBackground: true, writable: [] });
      const done = await runProcess(program, args, {
        cwd,
        env: { ...env, ...wall.environment },
        signal,
        timeoutMs: options.timeoutMs,
        maxOutputBytes: 65_536,
      });
      signal.throwIfAborted();
      if (done.timedOut) return { kind: "failed", reason: `no end within ${options.timeoutMs / 1_000} s` };
      const output = stripAnsi(done.stdout);
      if (done.exitCode === 0) return { kind: "output", text: output };
      const printed = stripAnsi(done.stderr).trim() || output.trim();
      return { kind: "failed", reason: `exit code ${done.exitCode ?? "none"}${printed === "" ? "" : `: ${printed}`}` };
    };
}

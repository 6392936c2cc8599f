import { describe } from "#foundation/errors";
import { runProcess } from "#foundation/process/run";
import { stripAnsi, truncateMiddle } from "#foundation/text/text";
import type { QuickCommandSetting } from "../settings.ts";

export type QuickCommand =
  | { readonly type: "exec"; readonly command: string }
  | { readonly type: "alias"; readonly target: string }
  | { readonly type: "prompt"; readonly text: string };

const mostOutput = 20_000;

/** The setting as something to do, or what is missing in it. */
export function readQuickCommand(setting: QuickCommandSetting): QuickCommand | { readonly problem: string } {
  if (typeof setting === "string") return { type: "prompt", text: setting };
  const { command, target, text } = setting;
  const type: QuickCommand["type"] = setting.type ?? "prompt";
  switch (type) {
    case "exec":
      return command === undefined || command.trim() === "" ? { problem: "it has no `command`" } : { type, command };
    case "alias":
      return target === undefined || target.trim() === "" ? { problem: "it has no `target`" } : { type, target };
    case "prompt":
      return text === undefined || text.trim() === "" ? { problem: "it has no `text`" } : { type, text };
  }
}

/** The line an alias stands for; what was typed after it follows. */
export function aliasLine(target: string, args: string): string {
  const line = target.trim().startsWith("/") ? target.trim() : `/${target.trim()}`;
  return args === "" ? line : `${line} ${args}`;
}

/** Runs the command of an `exec` entry and gives its output. No model is asked. */
export async function runQuickCommand(
  command: string,
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly timeoutMs: number },
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly isError: boolean }> {
  const [shell, flag] = process.platform === "win32" ? ["cmd.exe", "/c"] : ["/bin/sh", "-c"];
  try {
    const { timeoutMs, cwd, env } = options;
    const ended = await runProcess(shell, [flag, command], { cwd, env, timeoutMs, signal, graceMs: 500 });
    const output = truncateMiddle(stripAnsi(`${ended.stdout}${ended.stderr}`).trimEnd(), mostOutput);
    const lines = output === "" ? [] : [output];
    if (ended.timedOut) lines.push(`Stopped after ${timeoutMs / 1000} s: the command took too long.`);
    else if (ended.exitCode !== 0) lines.push(`[exit ${ended.exitCode ?? ended.signal ?? "unknown"}]`);
    const isError = ended.timedOut || ended.exitCode !== 0;
    return { text: lines.length === 0 ? "(no output)" : lines.join("\n"), isError };
  } catch (error) {
    return { text: `The command could not be run: ${describe(error)}`, isError: true };
  }
}

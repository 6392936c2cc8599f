import { UserError } from "#foundation/errors";

/** What became of a command the person typed. */
export type ShellRun =
  | { readonly kind: "ended"; readonly output: string; readonly exitCode: number }
  /** Ctrl-C, or a limit: what it printed until then, and why it ended. */
  | { readonly kind: "stopped"; readonly output: string; readonly why: string }
  | { readonly kind: "refused"; readonly why: string };

/** Runs a command of the person where the session works. The signal stops it. */
export type RunShell = (command: string, signal: AbortSignal) => Promise<ShellRun>;

const inline = /\{!([^{}\n]{1,2000})\}/g;

/**
 * Replaces every `{!command}` in a message by what the command prints. One that failed says so there; one that was
 * stopped or refused keeps the message from being sent.
 */
export async function substituteCommands(text: string, run: (command: string) => Promise<ShellRun>): Promise<string> {
  let result = "";
  let from = 0;
  for (const match of text.matchAll(inline)) {
    const command = match[1] ?? "";
    const ran = await run(command);
    if (ran.kind !== "ended") throw new UserError(`Not sent, because of {!${command}}: ${ran.why}`);
    result += text.slice(from, match.index) + shellText(ran, "");
    from = match.index + match[0].length;
  }
  return result + text.slice(from);
}

/** The output and, when it did not end well, how it ended. */
export function shellText(run: ShellRun, whenEmpty: string): string {
  if (run.kind === "refused") return run.why;
  const output = run.output.replace(/\n+$/, "");
  const end = run.kind === "stopped" ? `[${run.why}]` : run.exitCode === 0 ? "" : `[exit ${run.exitCode}]`;
  const lines = [output, end].filter((line) => line !== "");
  return lines.length === 0 ? whenEmpty : lines.join("\n");
}

export function hasInlineCommand(text: string): boolean {
  return text.search(inline) >= 0;
}

/** Runs a command of the person under the same rules as the agent's; gives what it printed. */
export type RunShell = (command: string, signal: AbortSignal) => Promise<string>;

const inline = /\{!([^{}\n]{1,2000})\}/g;

/** Replaces every `{!command}` in a message by what the command prints. */
export async function substituteCommands(text: string, runShell: RunShell, signal: AbortSignal): Promise<string> {
  const found = [...text.matchAll(inline)];
  if (found.length === 0) return text;
  let result = "";
  let from = 0;
  for (const match of found) {
    const output = await runShell(match[1] ?? "", signal);
    result += text.slice(from, match.index) + output.replace(/\n+$/, "");
    from = match.index + match[0].length;
  }
  return result + text.slice(from);
}

export function hasInlineCommand(text: string): boolean {
  return text.search(inline) >= 0;
}

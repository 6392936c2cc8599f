import { silentLogger } from "#foundation/files/logger";
import { quietly } from "#foundation/files/quietly";
import { plural } from "#foundation/text/figures";
import type { TuiTerminal } from "../terminal/terminal.ts";

const tmuxMs = 3_000;

/** Puts text on the clipboard of the person; says where it went. */
export async function copyText(
  text: string,
  { terminal }: { readonly terminal: TuiTerminal },
  signal: AbortSignal,
): Promise<string> {
  const count = plural(text.length, "character");
  if ((terminal.env["TMUX"] ?? "") !== "") {
    // tmux takes no OSC 52 from programs unless it is told to; handed to tmux itself, it goes to its buffer and to the terminal outside.
    if (await throughTmux(text, terminal, signal)) return `Copied ${count}. In tmux, prefix ] pastes it too.`;
    terminal.write(osc52(text));
    return `Sent ${count} to the terminal. If nothing arrives: tmux set -g set-clipboard on`;
  }
  // OSC 52 reaches the clipboard of the person also through SSH.
  terminal.write(osc52(text));
  return `Copied ${count}.`;
}

async function throughTmux(text: string, { env }: TuiTerminal, signal: AbortSignal): Promise<boolean> {
  const { runProcess } = await import("#foundation/process/run");
  const run = () => runProcess("tmux", ["load-buffer", "-w", "-"], { env, input: text, signal, timeoutMs: tmuxMs });
  return (await quietly("copying through tmux", run, { logger: silentLogger, signal }))?.exitCode === 0;
}

function osc52(text: string): string {
  return `\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`;
}

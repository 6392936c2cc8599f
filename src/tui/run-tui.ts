import type { RunTuiOptions } from "./app/options.ts";
import type { TerminalAsker } from "./ask/terminal-asker.ts";
import type { TuiTerminal } from "./terminal/terminal.ts";

/** Opens the interactive terminal and stays until the person leaves. Nothing is loaded before it is called. */
export async function runTui(options: RunTuiOptions): Promise<{ readonly exitCode: number }> {
  const { TuiApp } = await import("./app/tui-app.ts");
  return { exitCode: await new TuiApp(options).run() };
}

/** Questions at a terminal outside of the chat. */
export async function openTerminalAsker(terminal: TuiTerminal, signal: AbortSignal): Promise<TerminalAsker> {
  const asking = await import("./ask/terminal-asker.ts");
  return new asking.TerminalAsker(terminal, signal);
}

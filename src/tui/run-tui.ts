import type { RunTuiOptions } from "./app/options.ts";

/** Opens the interactive terminal and stays until the person leaves. Nothing is loaded before it is called. */
export async function runTui(options: RunTuiOptions): Promise<{ readonly exitCode: number }> {
  const { TuiApp } = await import("./app/tui-app.ts");
  return { exitCode: await new TuiApp(options).run() };
}

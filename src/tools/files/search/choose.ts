import fs from "node:fs/promises";
import path from "node:path";
import type { SearchEngine } from "./engine.ts";

/** ripgrep from our own package, else from the PATH, else the walker that needs nothing. */
export async function chooseEngine(env: NodeJS.ProcessEnv): Promise<SearchEngine> {
  const program = (await bundledRipgrep()) ?? (await onPath("rg", env));
  if (program === undefined) return (await import("./walker.ts")).walkerEngine;
  // A child that searches needs none of our environment, least of all our keys.
  const { ripgrepEngine } = await import("./ripgrep.ts");
  return ripgrepEngine(program, { PATH: env["PATH"] ?? "" });
}

async function bundledRipgrep(): Promise<string | undefined> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return (await isRunnable(rgPath)) ? rgPath : undefined;
  } catch {
    return undefined;
  }
}

async function onPath(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of (env["PATH"] ?? "").split(path.delimiter).filter((one) => path.isAbsolute(one))) {
    const full = path.join(folder, process.platform === "win32" ? `${name}.exe` : name);
    if (await isRunnable(full)) return full;
  }
  return undefined;
}

async function isRunnable(file: string): Promise<boolean> {
  return fs.access(file, fs.constants.X_OK).then(
    () => true,
    () => false,
  );
}

import path from "node:path";
import { findExecutable } from "#foundation/process/platform";
import { runProcess } from "#foundation/process/run";

/** Python for a script: in `project` mode the active environment's, when it is new enough; else the one on the PATH. */
export async function findPython(
  env: NodeJS.ProcessEnv,
  mode: "project" | "strict",
  signal: AbortSignal,
): Promise<string | undefined> {
  const roots = mode === "project" ? [env["VIRTUAL_ENV"], env["CONDA_PREFIX"]] : [];
  for (const root of roots) {
    if (root === undefined || root === "") continue;
    const python = findExecutable(path.join(root, "bin", "python"), env);
    if (python !== undefined && (await isNewEnough(python, env, signal))) return python;
  }
  return findExecutable("python3", env) ?? findExecutable("python", env);
}

async function isNewEnough(python: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<boolean> {
  const check = "import sys; sys.exit(sys.version_info < (3, 8))";
  return (await runProcess(python, ["-c", check], { env, signal, timeoutMs: 5_000 })).exitCode === 0;
}

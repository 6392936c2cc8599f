import { readdirSync } from "node:fs";
import path from "node:path";
import { findExecutable } from "#foundation/process/platform";

/** Python for a script: in `project` mode the active environment's, when it is new enough; else the one on the PATH. */
export function findPython(env: NodeJS.ProcessEnv, mode: "project" | "strict"): string | undefined {
  const roots = mode === "project" ? [env["VIRTUAL_ENV"], env["CONDA_PREFIX"]] : [];
  for (const root of roots) {
    if (root === undefined || root === "") continue;
    const python = findExecutable(path.join(root, "bin", "python"), env);
    if (python !== undefined && isNewEnough(root)) return python;
  }
  return findExecutable("python3", env) ?? findExecutable("python", env);
}

/** By what lies in the environment: a program in it is not started before it is held. */
function isNewEnough(root: string): boolean {
  try {
    return readdirSync(path.join(root, "lib")).some((name) => Number(/^python3\.(\d+)$/.exec(name)?.[1] ?? 0) >= 8);
  } catch {
    // No environment, or not one of Python's.
    return false;
  }
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { formatWarning, loadConfig, managedBy, managedError, prepareHome } from "#config";
import { UserError } from "#foundation/errors";
import { writeFileAtomic } from "#foundation/files/files";
import { findExecutable } from "#foundation/process/platform";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { homeOf } from "../../support/home.ts";

const usualEditors = ["nano", "vim", "vi", "code"];

/** Opens the file and checks it afterwards; what does not parse is said at once, not at the next start. */
export async function configEdit(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  const home = homeOf(invocation);
  const manager = managedBy(home, io.env);
  if (manager !== undefined) throw managedError(manager, home.config);
  await prepareHome(home, io.env);
  if (!existsSync(home.config)) await writeFileAtomic(home.config, "", { mode: 0o600 });
  const [program = "", ...args] = editorCommand(io.env);
  const child = spawn(program, [...args, home.config], { stdio: "inherit", env: io.env, signal: io.signal });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new UserError(`${program} ended with ${code ?? "a signal"}.`, { code: "editor_failed" });
  const { warnings } = await loadConfig({ home, env: io.env });
  for (const warning of warnings) out.note(`${warning.severity}: ${formatWarning(warning)}`);
  return warnings.some((warning) => warning.severity === "error") ? 4 : 0;
}

/** `EDITOR`, then `VISUAL`, then what is installed; a variable may carry arguments. */
export function editorCommand(env: NodeJS.ProcessEnv): readonly string[] {
  const chosen = [env["EDITOR"], env["VISUAL"]].find((value) => (value ?? "").trim() !== "");
  if (chosen !== undefined) return chosen.trim().split(/\s+/);
  const found = usualEditors.find((name) => findExecutable(name, env) !== undefined);
  if (found !== undefined) return [found];
  throw new UserError("No editor was found.", { code: "editor_missing", hint: "Set EDITOR to the one you use." });
}

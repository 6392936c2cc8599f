import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import { UserError } from "#foundation/errors";
import type { HermesHome } from "#foundation/files/paths";

/** The file of a script below `scripts/` of the home. Anything that leads out of it, also by a link, is refused. */
export function scriptFile(script: string, home: HermesHome): string {
  const root = home.at("scripts");
  const refuse = (why: string): UserError =>
    new UserError(`The script "${script}" cannot be used: ${why}.`, {
      hint: `Put it below ${root} and name it from there.`,
      code: "bad_script",
    });
  if (
    path.isAbsolute(script) ||
    script.startsWith("~") ||
    script.split(/[\\/]/).includes("..") ||
    script.includes("\0")
  )
    throw refuse("it must be a path below the scripts folder");
  const file = path.join(root, script);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw refuse("there is no such file");
  const [realRoot, real] = [realpathSync(root), realpathSync(file)];
  if (!real.startsWith(`${realRoot}${path.sep}`)) throw refuse("it leads out of the scripts folder");
  return real;
}

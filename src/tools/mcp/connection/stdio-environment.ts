import { access, constants } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join } from "node:path";

const inherited = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TERM", "SHELL", "TMPDIR"];
const resolvable = new Set(["npx", "npm", "node"]);

export interface StdioLocation {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * What a server's child is started with: a short list of harmless variables, what the person
 * configured for it, and nothing else. Keys of model providers never reach it.
 */
export async function stdioLocation(
  command: string,
  configured: Readonly<Record<string, string>>,
  from: { readonly env: Readonly<Record<string, string | undefined>>; readonly hermesHome: string },
): Promise<StdioLocation> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(from.env)) {
    if (value !== undefined && (inherited.includes(name) || name.startsWith("XDG_"))) env[name] = value;
  }
  Object.assign(env, configured);
  const found = resolvable.has(command) ? await findProgram(command, env, from.hermesHome) : command;
  if (isAbsolute(found)) env["PATH"] = [dirname(found), env["PATH"] ?? ""].filter(Boolean).join(delimiter);
  return { command: found, env };
}

async function findProgram(command: string, env: Readonly<Record<string, string>>, home: string): Promise<string> {
  const folders = [
    ...(env["PATH"] ?? "").split(delimiter).filter(isAbsolute),
    join(home, "node", "bin"),
    ...(env["HOME"] === undefined ? [] : [join(env["HOME"], ".local", "bin")]),
  ];
  for (const folder of folders) {
    const path = join(folder, command);
    if (await canRun(path)) return path;
  }
  return command;
}

async function canRun(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

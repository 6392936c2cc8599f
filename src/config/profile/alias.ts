import { chmod, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { UserError } from "#foundation/errors";
import { ensureDir, readTextFile, writeFileAtomic } from "#foundation/files/files";
import { findExecutable } from "#foundation/process/platform";

/** A command named after a profile, so that `coder` means `hermes -p coder`. */
export type AliasResult =
  | { readonly kind: "written"; readonly path: string }
  | { readonly kind: "removed"; readonly path: string }
  | { readonly kind: "skipped"; readonly reason: string };

/** A line by which our own scripts are known; nothing else is ever overwritten or removed. */
const mark = "# made by hermes profile";

export async function writeAlias(alias: string, profile: string, env: NodeJS.ProcessEnv): Promise<AliasResult> {
  const path = aliasPath(alias, env);
  const present = await readScript(path);
  if (present !== undefined && !present.includes(mark))
    return { kind: "skipped", reason: `${path} is another program` };
  const other = findExecutable(alias, env);
  if (other !== undefined && other !== path) return { kind: "skipped", reason: `there is already a command ${other}` };
  await ensureDir(join(path, ".."));
  await writeFileAtomic(path, `#!/bin/sh\n${mark}\nexec hermes -p ${profile} "$@"\n`);
  await chmod(path, 0o755);
  return { kind: "written", path };
}

export async function removeAlias(alias: string, profile: string, env: NodeJS.ProcessEnv): Promise<AliasResult> {
  const path = aliasPath(alias, env);
  const present = await readScript(path);
  if (present === undefined) return { kind: "skipped", reason: "there is none" };
  const isOurs = present.includes(mark) && present.includes(`hermes -p ${profile} `);
  if (!isOurs) return { kind: "skipped", reason: `${path} is another program` };
  await rm(path);
  return { kind: "removed", path };
}

/** The text of a script; a program too large to be one of ours counts as another's, so as empty text. */
async function readScript(path: string): Promise<string | undefined> {
  try {
    return await readTextFile(path, { maxBytes: 65_536 });
  } catch (error) {
    if (error instanceof UserError) return "";
    throw error;
  }
}

const aliasPath = (alias: string, env: NodeJS.ProcessEnv): string =>
  join(env.HOME?.trim() || homedir(), ".local", "bin", alias);

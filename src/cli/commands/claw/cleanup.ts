import { lstat, rename } from "node:fs/promises";
import path from "node:path";
import { exitCodes, type Invocation } from "../../command.ts";
import { flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { agreed } from "../../support/ask.ts";
import { homeOf } from "../../support/home.ts";
import { findOldHomes, isFolder, namesIn } from "./old-home.ts";

/** Gives the old folder another name, so that OpenClaw does not find it any more. Never deletes. */
export async function clawCleanup(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  const input = flagText(invocation, "source");
  const named = input === undefined ? undefined : path.resolve(io.cwd, input);
  const folders = named === undefined ? await findOldHomes(io.env) : (await isFolder(named)) ? [named] : [];
  const isDry = hasFlag(invocation, "dry-run");
  const moved: { readonly from: string; readonly to: string }[] = [];
  if (!(await hasMigrated(invocation)) && folders.length > 0)
    out.note("Nothing has been imported into this home yet. See: hermes claw migrate --dry-run");
  for (const from of folders) {
    const to = await freeName(from);
    const isYes = isDry || hasFlag(invocation, "yes");
    if (!(await agreed(`Rename ${from} to ${path.basename(to)}?`, { io, isYes }))) continue;
    if (!isDry) await rename(from, to);
    moved.push({ from, to });
  }
  out.document({ dry_run: isDry, renamed: moved });
  for (const { from, to } of moved) out.line(isDry ? `${from} would become ${to}` : `${from} is now ${to}`);
  if (folders.length === 0) out.line("There is no OpenClaw folder.");
  else if (moved.length === 0) out.line("Nothing was renamed.");
  else if (!isDry) out.line("Delete it yourself when you are sure. OpenClaw must not run while you do.");
  return folders.length > 0 && moved.length === 0 ? exitCodes.failed : exitCodes.ok;
}

async function hasMigrated(invocation: Invocation): Promise<boolean> {
  return (await namesIn(homeOf(invocation).at("migration", "openclaw"))).length > 0;
}

async function freeName(folder: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const candidate = `${folder}.pre-migration${number === 1 ? "" : `-${number}`}`;
    if ((await lstat(candidate).catch(() => undefined)) === undefined) return candidate;
  }
}

import { existsSync } from "node:fs";
import { cp, lstat, mkdtemp, open, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { prepareHome } from "#config";
import { UserError } from "#foundation/errors";
import { ensureDir } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { exitCodes, type Invocation } from "../../command.ts";
import { argument, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { agreed } from "../../support/ask.ts";
import { gatewayPid } from "../../support/gateway-state.ts";
import { homeOf } from "../../support/home.ts";
import { tar, unzip } from "../../support/tar.ts";
import { writeArchive } from "./backup.ts";

/** Puts a backup back. What is there now is backed up first, whatever was answered. */
export async function restore(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  const home = homeOf(invocation);
  const archive = path.resolve(io.cwd, argument(invocation, 0));
  if (!existsSync(archive)) throw new UserError(`There is no file ${archive}.`, { code: "file_not_found" });
  const pid = await gatewayPid(home);
  if (pid !== undefined)
    throw new UserError(`The gateway is running (process ${pid}).`, {
      code: "gateway_running",
      hint: "Stop it first.",
    });
  await prepareHome(home, io.env);
  // Beside the home, so that moving the files there is one step for each.
  const stage = await mkdtemp(path.join(home.root, ".import-"));
  try {
    await unpack(archive, stage, invocation);
    const names = await restorable(await contentFolder(stage), archive);
    const replaced = names.filter((name) => existsSync(home.at(name)));
    const question = `Replace ${replaced.join(", ")} in ${home.root}?`;
    const isYes = replaced.length === 0 || hasFlag(invocation, "force");
    const isAgreed = await agreed(question, { io, isYes, flag: "-f" });
    if (!isAgreed) {
      out.line("Nothing was changed.");
      return exitCodes.failed;
    }
    const saved = replaced.length === 0 ? undefined : await saveFirst(invocation, home);
    await move(await contentFolder(stage), names, home);
    out.document({ restored: names, replaced, saved: saved ?? null });
    out.line(`Put back: ${names.join(", ")}`);
    if (saved !== undefined) out.line(`The previous files: ${saved}`);
    return 0;
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** What the file begins with counts, not its name: a backup may be called anything. */
async function unpack(archive: string, stage: string, { io }: Invocation): Promise<void> {
  const start = await firstBytes(archive);
  if (start.startsWith("504b")) await unzip(archive, stage, io);
  else if (start.startsWith("1f8b")) await tar(["-xzf", archive, "-C", stage, "--no-same-owner"], io);
  else throw new UserError(`${archive} is not a backup of Hermes.`, { code: "archive_invalid" });
}

async function firstBytes(file: string): Promise<string> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  return buffer.subarray(0, bytesRead).toString("hex");
}

/** Some archives hold the home itself as their only folder. */
async function contentFolder(stage: string): Promise<string> {
  const names = await readdir(stage);
  const only = names.length === 1 ? path.join(stage, names[0] ?? "") : undefined;
  const isHome =
    only !== undefined &&
    ["config.yaml", "state.db", ".env", "SOUL.md"].some((name) => existsSync(path.join(only, name)));
  return isHome ? only : stage;
}

/** A link in an archive could lead writes out of the home later; such an archive is refused whole. */
async function restorable(folder: string, archive: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  if (!["config.yaml", "state.db", ".env", "SOUL.md", "memories"].some((name) => names.includes(name)))
    throw new UserError(`${archive} is not a backup of Hermes.`, { code: "archive_invalid" });
  for (const name of names) {
    if ((await lstat(path.join(folder, name))).isSymbolicLink())
      throw new UserError(`${archive} holds a link (${name}) where a file belongs.`, { code: "archive_invalid" });
  }
  return names.sort();
}

async function saveFirst(invocation: Invocation, home: HermesHome): Promise<string> {
  await ensureDir(home.stateSnapshots, 0o700);
  const stamp = new Date().toISOString().slice(0, 19).replace(/[:T]/g, "-");
  const file = path.join(home.stateSnapshots, `before-import-${stamp}.tar.gz`);
  await writeArchive(invocation, { home, file, isQuick: true });
  return file;
}

async function move(folder: string, names: readonly string[], home: HermesHome): Promise<void> {
  for (const name of names) {
    const from = path.join(folder, name);
    const to = home.at(name);
    // The journal of the old database would be played into the new one.
    if (name.endsWith(".db")) for (const end of ["-wal", "-shm", "-journal"]) await rm(`${to}${end}`, { force: true });
    if (existsSync(to) && (await lstat(to)).isDirectory()) {
      await cp(from, to, { recursive: true, force: true, verbatimSymlinks: true });
      continue;
    }
    await rename(from, to);
  }
}

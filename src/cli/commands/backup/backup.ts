import { chmod, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { UserError } from "#foundation/errors";
import type { HermesHome } from "#foundation/files/paths";
import { byteSize } from "#foundation/text/figures";
import type { Invocation } from "../../command.ts";
import { flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { homeOf } from "../../support/home.ts";
import { openExistingStore } from "../../support/store.ts";
import { tar } from "../../support/tar.ts";
import { backupEntries } from "./contents.ts";

export async function backup(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  const home = homeOf(invocation);
  const isQuick = hasFlag(invocation, "quick");
  const file = path.resolve(
    io.cwd,
    flagText(invocation, "output") ?? path.join(io.env["HOME"] ?? homedir(), fileName(invocation, home)),
  );
  const entries = await writeArchive(invocation, { home, file, isQuick });
  const { size } = await stat(file);
  out.document({ file, bytes: size, entries });
  out.line(`Wrote ${file} (${byteSize(size)}): ${entries.join(", ")}`);
  out.line("It holds your credentials; only you can read it.");
  if (!/\.(tar\.gz|tgz)$/i.test(file))
    out.line("It is a tar.gz archive, whatever its name; hermes import restores it.");
  return 0;
}

export interface ArchiveRequest {
  readonly home: HermesHome;
  readonly file: string;
  readonly isQuick: boolean;
}

/** Written beside its place and moved there: an archive is there whole or not at all. */
export async function writeArchive(
  invocation: Invocation,
  { home, file, isQuick }: ArchiveRequest,
): Promise<readonly string[]> {
  const { io } = invocation;
  const names = await readdir(home.root).catch(() => undefined);
  if (names === undefined)
    throw new UserError(`There is nothing to back up: ${home.root} does not exist.`, { code: "home_missing" });
  const entries = backupEntries(names, isQuick);
  const stage = await mkdtemp(path.join(tmpdir(), "hermes-backup-"));
  const draft = `${file}.part`;
  try {
    const databases = await copyDatabase(invocation, path.join(stage, "state.db"));
    const ours = entries.length === 0 ? [] : ["-C", home.root, ...entries.map((name) => `./${name}`)];
    const copied = databases.length === 0 ? [] : ["-C", stage, ...databases.map((name) => `./${name}`)];
    await tar(["-czf", draft, ...ours, ...copied], io);
    await chmod(draft, 0o600);
    await rename(draft, file);
    return [...entries, ...databases];
  } finally {
    await rm(stage, { recursive: true, force: true });
    await rm(draft, { force: true });
  }
}

/** The database copies itself while others write to it. One on a server has its own backups. */
async function copyDatabase(invocation: Invocation, to: string): Promise<readonly string[]> {
  await using store = await openExistingStore(invocation);
  if (store === undefined || store.kind !== "sqlite") return [];
  await store.maintenance.backup(to, invocation.io.signal);
  return ["state.db"];
}

function fileName(invocation: Invocation, home: HermesHome): string {
  const label = flagText(invocation, "label")?.replace(/[^\w.-]+/g, "-");
  const stamp = new Date().toISOString().slice(0, 19).replace(/[:T]/g, "-");
  return ["hermes-backup", home.profileName, ...(label === undefined ? [] : [label]), `${stamp}.tar.gz`].join("-");
}

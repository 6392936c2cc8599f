import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Profiles } from "#config";
import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import type { Invocation } from "../../command.ts";
import { commandNames } from "../../command-names.ts";
import { argument, flagText } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { tar } from "../../support/tar.ts";

/** A profile as one file. Credentials, databases and caches stay at home. */
export async function profileExport(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  const name = argument(invocation, 0);
  const file = path.resolve(io.cwd, flagText(invocation, "output") ?? `${name}.tar.gz`);
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-profile-"));
  try {
    await new Profiles(io.env).exportTo(name, path.join(folder, name));
    await tar(["-czf", file, "-C", folder, name], io);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  out.document({ profile: name, file });
  out.line(`Wrote ${file} (no credentials, no databases).`);
  return 0;
}

export async function profileImport(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  const file = path.resolve(io.cwd, argument(invocation, 0));
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-profile-"));
  try {
    await tar(["-xzf", file, "-C", folder, "--no-same-owner"], io);
    const [only, ...others] = await readdir(folder);
    if (only === undefined || others.length > 0)
      throw new UserError(`${file} is not an exported profile.`, { code: "archive_invalid" });
    const name = flagText(invocation, "name");
    const home = await new Profiles(io.env).importFrom(path.join(folder, only), {
      ...defined({ name }),
      commands: commandNames(invocation.root),
    });
    out.document({ profile: home.profileName, home: home.root });
    out.line(`Created profile ${home.profileName} at ${home.root}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return 0;
}

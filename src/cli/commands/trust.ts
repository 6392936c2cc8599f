import path from "node:path";
import { holdsEverything } from "#config";
import { UserError } from "#foundation/errors";
import { ProjectTrust } from "#plugins";
import { exitCodes, type Invocation } from "../command.ts";
import { hasFlag } from "../invocation.ts";
import { Output } from "../output/output.ts";
import { loadSettings } from "../support/settings.ts";

export async function trustList(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  const { loaded } = await loadSettings(invocation, { isQuiet: true });
  const { trust, config } = loaded;
  const folders = trust.list();
  const bySetting = config.security.trusted_folders;
  const isTrusted = trust.isTrusted(io.cwd);
  if (trust.isDamaged) out.note("The list of trusted folders cannot be read, so no folder is trusted.");
  out.document({ folders, by_setting: bySetting, current: { folder: io.cwd, is_trusted: isTrusted } });
  for (const { folder, since } of folders) out.line(`${folder}  since ${since.slice(0, 10)}`);
  for (const folder of bySetting) out.line(`${folder}  by security.trusted_folders`);
  if (folders.length + bySetting.length === 0) out.line("No folder is trusted.");
  out.line(isTrusted ? "This folder is trusted." : "This folder is not trusted. To trust it: hermes trust add");
  return 0;
}

export async function trustAdd(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  const { loaded, home } = await loadSettings(invocation, { isQuiet: true });
  const folder = folderOf(invocation);
  if (holdsEverything(folder, io.env) && !hasFlag(invocation, "force")) {
    throw new UserError(`${folder} holds all of your files, including what you download later.`, {
      hint: "Trust single projects, or add --force.",
      exitCode: exitCodes.denied,
    });
  }
  const trusted = await loaded.trust.trust(folder, io.signal);
  // A plugin of a project runs only as it was when the person agreed.
  const plugins = await new ProjectTrust(home.at("trust.json"), io.signal).trustProject(trusted);
  out.document({ folder: trusted, plugins });
  out.line(`Trusted: ${trusted} and everything below it.`);
  if (plugins.length > 0) out.line(`Its plugins, as they are now: ${plugins.join(", ")}`);
  return 0;
}

export async function trustRemove(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  const { loaded } = await loadSettings(invocation, { isQuiet: true });
  const folder = folderOf(invocation);
  const wasListed = await loaded.trust.distrust(folder, io.signal);
  const isTrusted = loaded.trust.isTrusted(folder);
  out.document({ folder, was_listed: wasListed, is_trusted: isTrusted });
  out.line(wasListed ? `No longer on the list: ${folder}` : `${folder} was not on the list.`);
  if (isTrusted) out.line("It is still trusted, because it is inside a trusted folder. See: hermes trust list");
  return wasListed && !isTrusted ? exitCodes.ok : exitCodes.failed;
}

const folderOf = ({ args, io }: Invocation): string => path.resolve(io.cwd, args[0] ?? ".");

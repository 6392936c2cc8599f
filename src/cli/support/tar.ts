import { UserError } from "#foundation/errors";
import { runProcess } from "#foundation/process/run";
import type { CommandIo } from "../command.ts";

/** Packs and unpacks with the program every system has; archives may be larger than memory. */
export async function tar(args: readonly string[], io: CommandIo): Promise<void> {
  await runOrFail("tar", args, io);
}

/** Archives of earlier versions are ZIP files. */
export async function unzip(archive: string, folder: string, io: CommandIo): Promise<void> {
  await runOrFail("unzip", ["-q", "-o", archive, "-d", folder], io);
}

async function runOrFail(program: string, args: readonly string[], io: CommandIo): Promise<void> {
  const result = await runProcess(program, args, { env: io.env, signal: io.signal });
  io.signal.throwIfAborted();
  if (result.exitCode === 0) return;
  const [reason = ""] = result.stderr.trim().split("\n");
  throw new UserError(`${program} failed: ${reason}`, { code: "archive_failed" });
}

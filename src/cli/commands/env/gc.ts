import { removeLeftFolders } from "#environments";
import { describe } from "#foundation/errors";
import { silentLogger } from "#foundation/files/logger";
import { plural } from "#foundation/text/figures";
import { removeLeftContainers } from "#tools";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";

/** Removes what runs that were killed left: containers and folders. What a running one has stays. */
export async function envGc(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const out = new Output(invocation);
  const folders = await removeLeftFolders();
  let containers: readonly string[] = [];
  try {
    containers = await removeLeftContainers(io.env, silentLogger, io.signal);
  } catch (error) {
    io.signal.throwIfAborted();
    out.note(`Containers could not be listed: ${describe(error)}`);
  }
  out.document({ containers, folders });
  out.line(
    `Removed ${plural(containers.length, "container")} and ${plural(folders, "folder")} of runs that have ended.`,
  );
  return 0;
}

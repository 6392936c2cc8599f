import type { Logger } from "#foundation/files/logger";
import { isOwnerGone } from "../remote/owner.ts";
import { type DockerProgram, findDocker } from "./docker-program.ts";

/** Says which Hermes a container belongs to. */
export const ownerLabel = "hermes.owner";

/** Removes the containers of every Hermes on this machine that died; those of running ones stay. */
export async function removeLeftContainers(
  env: NodeJS.ProcessEnv,
  logger: Logger,
  signal: AbortSignal,
): Promise<readonly string[]> {
  return await removeOrphans(await findDocker(env, signal), logger, signal);
}

/** Which ones were removed. */
export async function removeOrphans(
  docker: DockerProgram,
  logger: Logger,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found = await docker.run(["ps", "-a", "-q", "--no-trunc", "--filter", `label=${ownerLabel}`], { signal });
  const ids = found.stdout.split("\n").filter((id) => id !== "");
  if (found.exitCode !== 0 || ids.length === 0) return [];
  const format = `{{.Id}} {{index .Config.Labels "${ownerLabel}"}}`;
  // Fails when one of them goes meanwhile; those that are there are told all the same.
  const listed = await docker.run(["inspect", "--type", "container", "--format", format, ...ids], { signal });
  const removed: string[] = [];
  for (const line of listed.stdout.split("\n")) {
    const [container, owner] = line.trim().split(" ");
    if (container === undefined || owner === undefined || !(await isOwnerGone(owner, signal))) continue;
    const ran = await docker.run(["rm", "-f", "-v", container], { signal, timeoutMs: 60_000 });
    if (ran.exitCode !== 0) continue;
    removed.push(container);
    logger.info("removed a container whose Hermes is gone", { container });
  }
  return removed;
}

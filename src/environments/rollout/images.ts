import type { Machine } from "#config";
import { UserError } from "#foundation/errors";
import { findDocker } from "#tools";

const pullMs = 600_000;

/**
 * Sees to it that a container image is there before a model is paid for. Only docker and podman keep images on this machine; the
 * other kinds fetch their own, and a terminal without containers cannot take one.
 */
export async function ensureImage(image: string, { loaded, env }: Machine, signal: AbortSignal): Promise<void> {
  const kind = loaded.config.terminal.backend.trim().toLowerCase();
  if (kind === "local")
    throw new UserError(`The image ${image} cannot be used: the local terminal has no containers.`, {
      hint: "Set terminal.backend to docker, or leave the image out of the dataset.",
    });
  if (kind !== "docker") return;
  const docker = await findDocker(env, signal);
  if ((await docker.run(["image", "inspect", image], { signal })).exitCode === 0) return;
  const pulled = await docker.run(["pull", image], { signal, timeoutMs: pullMs });
  if (pulled.exitCode !== 0)
    throw new UserError(`Docker image not available: ${image}\n${pulled.stderr.slice(0, 500)}`);
}

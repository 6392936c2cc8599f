import { createHash } from "node:crypto";
import { rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { ensureDir, withFileLock } from "#foundation/files/files";
import { runProcess } from "#foundation/process/run";
import type { BackendDeps } from "../remote/backend.ts";

const buildTimeoutMs = 600_000;

/** The image to start: one that lies here already as it is, any other built once and kept. */
export async function singularityImage(
  deps: BackendDeps,
  { program, image }: { readonly program: string; readonly image: string },
  signal: AbortSignal,
): Promise<string> {
  if (!image.includes("://")) return image;
  const folder = deps.env["APPTAINER_CACHEDIR"] ?? path.join(deps.sandboxDir, "singularity", "images");
  await ensureDir(folder, 0o700);
  const file = path.join(folder, `hermes-${createHash("sha256").update(image).digest("hex").slice(0, 24)}.sif`);
  return withFileLock(
    `${file}.lock`,
    async () => {
      if (await exists(file)) return file;
      const building = `${file}.${process.pid}.new`;
      const options = { env: deps.clientEnvironment, signal, timeoutMs: buildTimeoutMs, cwd: "/" };
      const built = await runProcess(program, ["build", "--force", building, image], options);
      signal.throwIfAborted();
      if (built.exitCode === 0) {
        await rename(building, file);
        return file;
      }
      await rm(building, { force: true });
      deps.logger.warn("an image could not be built and is taken from its source each time", {
        image,
        reason: built.stderr.trim().slice(-500),
      });
      return image;
    },
    { signal },
  );
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

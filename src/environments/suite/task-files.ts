import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findDocker } from "#tools";
import { unpackArchive } from "./task-archive.ts";
import type { BenchTask, TaskFiles } from "./task-folders.ts";

interface OpenFiles extends AsyncDisposable {
  readonly folder: string;
}

/** The files of a task in a folder; what was unpacked for it is gone when it is disposed. */
export async function openTaskFiles(files: TaskFiles): Promise<OpenFiles> {
  if (files.kind === "folder") return { folder: files.folder, [Symbol.asyncDispose]: () => Promise.resolve() };
  const folder = await mkdtemp(path.join(tmpdir(), `hermes-rollout-${process.pid}-task-`));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    if (files.archive !== "") await unpackArchive(files.archive, folder);
    for (const [name, text] of Object.entries(files.texts)) {
      await writeFile(path.join(folder, name), text);
      await chmod(path.join(folder, name), 0o755);
    }
    return { folder, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

const buildMs = 1_800_000;

/** Finds or builds the images of tasks; each is built once, however many tasks want it at the same moment. */
export class TaskImages {
  readonly #env: NodeJS.ProcessEnv;
  readonly #isForced: boolean;
  readonly #builds = new Map<string, Promise<string>>();

  constructor(env: NodeJS.ProcessEnv, { isForced }: { readonly isForced: boolean }) {
    this.#env = env;
    this.#isForced = isForced;
  }

  async imageOf({ image, build }: BenchTask, signal: AbortSignal): Promise<string> {
    if (image !== undefined && !(this.#isForced && build !== undefined)) return image;
    if (build === undefined) throw new Error("no_image");
    await using context = await openTaskFiles(build);
    if (!existsSync(path.join(context.folder, "Dockerfile"))) {
      if (image === undefined) throw new Error("no_image");
      return image;
    }
    const tag = `hermes-task:${await hashOf(context.folder)}`;
    const known = this.#builds.get(tag) ?? this.#build(tag, context.folder, signal);
    this.#builds.set(tag, known);
    try {
      return await known;
    } catch (error) {
      this.#builds.delete(tag);
      throw error;
    }
  }

  async #build(tag: string, folder: string, signal: AbortSignal): Promise<string> {
    const docker = await findDocker(this.#env, signal);
    if ((await docker.run(["image", "inspect", tag], { signal })).exitCode === 0) return tag;
    const built = await docker.run(["build", "-q", "-t", tag, folder], { signal, timeoutMs: buildMs });
    if (built.exitCode === 0) return tag;
    throw new Error(`The image of the task could not be built: ${built.stderr.trim().slice(-500)}`);
  }
}

/** Names what an image is built from: names and bytes of all files. */
async function hashOf(folder: string): Promise<string> {
  const hash = createHash("sha256");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  for (const name of names.sort()) hash.update(`${path.relative(folder, name)}\n`).update(await readFile(name));
  return hash.digest("hex").slice(0, 24);
}

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { FoundSubject, TerminalSubject } from "../subject.ts";
import { backend } from "./backend.ts";
import { makeRootFilesystem } from "./root-filesystem.ts";

const run = promisify(execFile);
const image = "localhost/hermes-test:1";

/** A podman with a storage of its own and one image; nothing of the machine's containers is touched. */
export class PodmanEngine implements AsyncDisposable {
  readonly folder: string;
  readonly program: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.program = path.join(folder, "podman");
  }

  static missing(): string | undefined {
    if (process.platform !== "linux") return "containers of this kind need Linux";
    if (!existsSync("/usr/bin/podman")) return "podman is not installed (scripts/setup-test-peers.sh)";
    return existsSync("/usr/bin/catatonit") ? undefined : "catatonit is not installed (scripts/setup-test-peers.sh)";
  }

  static async start(): Promise<PodmanEngine> {
    const engine = new PodmanEngine(await mkdtemp(path.join(tmpdir(), "hermes-podman-")));
    await engine.#configure();
    const root = path.join(engine.folder, "image");
    await makeRootFilesystem(root);
    await run("sh", ["-c", 'tar -C "$1" -c . | "$2" import - "$3"', "sh", root, engine.program, image]);
    await rm(root, { recursive: true });
    return engine;
  }

  get image(): string {
    return image;
  }

  /** Names of all containers that exist. */
  async containers(): Promise<readonly string[]> {
    const { stdout } = await run(this.program, ["ps", "-a", "--format", "{{.Names}}"]);
    return stdout.split("\n").filter((name) => name !== "");
  }

  async podman(...args: readonly string[]): Promise<string> {
    return (await run(this.program, [...args])).stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run(this.program, ["rm", "-f", "-a", "-t", "0"]).catch(() => undefined);
    // Layers are mounted until the storage is told to let go.
    await run(this.program, ["umount", "-a", "-f"]).catch(() => undefined);
    await run("sh", ["-c", 'umount "$1"/root/overlay 2>/dev/null; rm -rf "$1"', "sh", this.folder]).catch(
      () => undefined,
    );
  }

  /** Settings that also work in a container without all rights, and a program that knows them. */
  async #configure(): Promise<void> {
    const file = path.join(this.folder, "containers.conf");
    await writeFile(
      file,
      '[containers]\ndefault_ulimits=["nofile=1024:4096","nproc=4096:4096"]\n[engine]\nruntime="runc"\ncgroup_manager="cgroupfs"\nevents_logger="none"\n',
    );
    const at = `--root '${this.folder}/root' --runroot '${this.folder}/run' --tmpdir '${this.folder}/tmp'`;
    await writeFile(this.program, `#!/bin/sh\nCONTAINERS_CONF='${file}' exec /usr/bin/podman ${at} "$@"\n`, {
      mode: 0o755,
    });
  }
}

/** Containers of podman. */
export function findPodman(): FoundSubject {
  const why = PodmanEngine.missing();
  if (why !== undefined) return { kind: "missing", name: "docker", why };
  return { kind: "present", name: "docker (podman)", start: async () => podmanSubject(await PodmanEngine.start()) };
}

export async function podmanSubject(engine: PodmanEngine): Promise<TerminalSubject> {
  const open = await backend("docker", {
    sandboxDir: path.join(engine.folder, "sandboxes"),
    settings: { docker_image: engine.image, docker_network: "none", container_memory: 512 },
    env: { HERMES_DOCKER_BINARY: engine.program },
  });
  return {
    open,
    environments: async () => (await engine.containers()).length,
    async destroy() {
      const newest = (await engine.podman("ps", "-a", "--format", "{{.Names}}", "--sort", "created"))
        .trim()
        .split("\n")
        .at(-1);
      if (newest !== undefined) await engine.podman("rm", "-f", "-t", "0", newest);
    },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

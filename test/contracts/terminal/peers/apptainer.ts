import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { FoundSubject, TerminalSubject } from "../subject.ts";
import { backend } from "./backend.ts";
import { makeRootFilesystem } from "./root-filesystem.ts";

const run = promisify(execFile);
const programs = ["/usr/bin/apptainer", "/usr/local/bin/apptainer", "/opt/hermes-test-peers/apptainer"];

/** Instances of apptainer over a folder that is an image. */
export function findApptainer(): FoundSubject {
  const program = programs.find((file) => existsSync(file));
  if (program === undefined)
    return { kind: "missing", name: "singularity", why: "apptainer is not installed (scripts/setup-test-peers.sh)" };
  return { kind: "present", name: "singularity", start: () => start(program) };
}

async function start(program: string): Promise<TerminalSubject> {
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-apptainer-"));
  const image = path.join(folder, "image");
  await makeRootFilesystem(image);
  // What a built image has, and a plain folder has not.
  const actions = path.join(image, ".singularity.d", "actions");
  await mkdir(actions, { recursive: true });
  await writeFile(path.join(actions, "start"), "#!/bin/sh\nexit 0\n");
  await chmod(path.join(actions, "start"), 0o755);
  const PATH = `${path.dirname(program)}:${process.env["PATH"]}`;
  const open = await backend("singularity", {
    sandboxDir: path.join(folder, "sandboxes"),
    settings: { singularity_image: image },
    env: { PATH },
  });
  const instances = async (): Promise<readonly string[]> => {
    const { stdout } = await run(program, ["instance", "list", "--json"], {
      env: { PATH, HOME: path.join(folder, "sandboxes") },
    });
    const { instances: found } = JSON.parse(stdout) as { instances: { instance: string }[] | null };
    return (found ?? []).map(({ instance }) => instance);
  };
  let known: readonly string[] = [];
  return {
    client: { program, env: { PATH, HOME: path.join(folder, "sandboxes") } },
    open: async (request) => {
      known = await instances();
      return open(request);
    },
    environments: async () => (await instances()).length,
    async destroy() {
      const newest = (await instances()).find((name) => !known.includes(name));
      if (newest !== undefined)
        await run(program, ["instance", "stop", "--signal", "KILL", newest], {
          env: { PATH, HOME: path.join(folder, "sandboxes") },
        });
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}

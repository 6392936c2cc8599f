import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { UserError } from "#foundation/errors";
import { ensureDir } from "#foundation/files/files";
import { makePrivateFolder } from "#foundation/files/private-folder";
import { deadline } from "#foundation/lifecycle/abort";
import type { ToolTask } from "../../contract/session-scope.ts";
import type { Terminal } from "../../contract/terminal.ts";
import { type BackendDeps, containerCwd, forwarded, safeName, terminalOptions } from "../remote/backend.ts";
import { startClient } from "../remote/client-program.ts";
import { followedFiles, withoutLinks } from "../remote/followed-files.ts";
import { ownerWord } from "../remote/owner.ts";
import type { RemoteHost } from "../remote/remote-host.ts";
import { openRemoteTerminal } from "../remote/remote-terminal.ts";
import { type DockerProgram, findDocker } from "./docker-program.ts";
import { ownerLabel, removeOrphans } from "./left-containers.ts";
import { type ContainerPlan, runArguments } from "./run-arguments.ts";

const startTimeoutMs = 120_000;

/** The terminal of a task in a container of its own, through the docker or podman a person has. */
export async function openDockerTerminal(deps: BackendDeps, task: ToolTask, signal: AbortSignal): Promise<Terminal> {
  const docker = await findDocker({ ...deps.clientEnvironment, ...dockerVariables(deps.env) }, signal);
  await removeOrphans(docker, deps.logger, signal);
  const id = await ownerWord(signal);
  const plan = await planContainer(deps, task, id);
  const container = await startContainer(docker, { deps, plan }, signal);
  const { settings } = deps;
  const host = dockerHost(deps, { docker, container, isPersistent: settings.container_persistent });
  const plain = terminalOptions(deps, task, { id, cwd: plan.cwd });
  return openRemoteTerminal(
    host,
    {
      ...plain,
      variables: {
        ...plain.variables,
        ...forwarded(settings.docker_forward_env, deps, true),
        ...fixedVariables(deps),
      },
      blocked: deps.blocked.filter((name) => !settings.docker_forward_env.includes(name)),
      passthrough: [...settings.env_passthrough, ...settings.docker_forward_env, ...Object.keys(settings.docker_env)],
    },
    signal,
  );
}

/** What tells the client which engine to talk to. */
function dockerVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  const named = Object.entries(env).filter(([name]) => /^(?:DOCKER|CONTAINERS?|REGISTRY|HERMES_DOCKER)_/.test(name));
  return Object.fromEntries(named.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));
}

function fixedVariables({ settings }: BackendDeps): Record<string, string> {
  return Object.fromEntries(Object.entries(settings.docker_env).map(([name, secret]) => [name, secret.reveal()]));
}

async function planContainer(deps: BackendDeps, { taskId, scope }: ToolTask, id: string): Promise<ContainerPlan> {
  const { settings } = deps;
  const mountedCwd = settings.docker_mount_cwd_to_workspace ? scope.cwd : undefined;
  const folder = path.join(deps.sandboxDir, "docker", safeName(taskId));
  const kept = settings.container_persistent
    ? { home: path.join(folder, "home"), workspace: path.join(folder, "workspace") }
    : undefined;
  if (kept !== undefined) await Promise.all([ensureDir(kept.home, 0o700), ensureDir(kept.workspace, 0o700)]);
  const fallback = mountedCwd === undefined ? "/root" : "/workspace";
  return {
    name: `hermes-${id.slice(-8)}`,
    image: scope.terminal.image ?? settings.docker_image,
    cwd: containerCwd({ own: scope.terminal.cwd, configured: settings.cwd, fallback }, deps.logger),
    labels: { "hermes.task": safeName(taskId), "hermes.profile": safeName(deps.profile), [ownerLabel]: id },
    cpus: settings.container_cpu,
    memoryMb: settings.container_memory,
    diskMb: undefined,
    network: settings.docker_network,
    isReadOnly: settings.docker_read_only,
    kept,
    mountedCwd,
    volumes: settings.docker_volumes,
    readable: await readableFiles(deps),
    envFile: undefined,
  };
}

async function readableFiles(deps: BackendDeps): Promise<ContainerPlan["readable"]> {
  const files = await followedFiles(deps);
  return Promise.all(
    files.map(async ({ host, name }) => ({
      host: await withoutLinks(host, path.join(deps.sandboxDir, "copies", name)),
      inside: `/root/.hermes/${name}`,
    })),
  );
}

/** Starts it; the file with its variables exists only meanwhile. */
async function startContainer(
  docker: DockerProgram,
  { deps, plan }: { readonly deps: BackendDeps; readonly plan: ContainerPlan },
  signal: AbortSignal,
): Promise<string> {
  // One with a line break cannot be written there; shells get it all the same.
  const lines = Object.entries(fixedVariables(deps)).filter(([, value]) => !/[\r\n]/.test(value));
  const folder = await makePrivateFolder(tmpdir(), "docker");
  try {
    const envFile = lines.length === 0 ? undefined : path.join(folder, "variables");
    if (envFile !== undefined)
      await writeFile(envFile, lines.map(([name, value]) => `${name}=${value}\n`).join(""), { mode: 0o600 });
    const ran = await docker.run(runArguments({ ...plan, envFile }), { signal, timeoutMs: startTimeoutMs });
    if (ran.exitCode === 0) return ran.stdout.trim().split("\n").at(-1) ?? plan.name;
    await docker.run(["rm", "-f", plan.name], { signal: deadline(30_000).signal });
    signal.throwIfAborted();
    const why = ran.timedOut ? `it did not start in ${startTimeoutMs / 1000} s` : ran.stderr.trim().slice(-1_000);
    throw new UserError(`The container from ${plan.image} could not be started: ${why}`, {
      hint: "`hermes doctor` looks at the container program and its image.",
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function dockerHost(
  deps: BackendDeps,
  facts: { readonly docker: DockerProgram; readonly container: string; readonly isPersistent: boolean },
): RemoteHost {
  const { docker, container } = facts;
  const env = { ...deps.clientEnvironment, ...dockerVariables(deps.env) };
  return {
    kind: "docker",
    isPersistent: facts.isPersistent,
    clientEnvironment: env,
    start: (argv, { stdin, signal }) => {
      const args = ["exec", ...(stdin === "pipe" ? ["-i"] : []), container, ...argv];
      return startClient({ program: docker.program, args }, { env, stdin, signal, watch: (pid) => deps.watch(pid) });
    },
    underPty: (argv) => ({ program: docker.program, args: ["exec", "-i", "-t", container, ...argv] }),
    async [Symbol.asyncDispose]() {
      // Its files live in the folders of this machine, so the container itself always goes.
      using limit = deadline(60_000);
      const ran = await docker.run(["rm", "-f", "-v", container], { signal: limit.signal, timeoutMs: 60_000 });
      if (ran.exitCode !== 0 && !/no such container/i.test(ran.stderr))
        deps.logger.warn("a container was not removed", { container, reason: ran.stderr.trim() });
    },
  };
}

import { access, constants, rm } from "node:fs/promises";
import { userInfo } from "node:os";
import path from "node:path";
import { UserError } from "#foundation/errors";
import { ensureDir, readTextFile, writeFileAtomic } from "#foundation/files/files";
import { deadline } from "#foundation/lifecycle/abort";
import { findExecutable } from "#foundation/process/platform";
import { type ProcessResult, runProcess } from "#foundation/process/run";
import { isRecord, parseJson, toJsonText } from "#foundation/text/json";
import type { ToolTask } from "../../contract/session-scope.ts";
import type { Terminal } from "../../contract/terminal.ts";
import { type BackendDeps, containerCwd, safeName, terminalOptions } from "../remote/backend.ts";
import { startClient } from "../remote/client-program.ts";
import { followedFiles } from "../remote/followed-files.ts";
import { isOwnerGone, ownerWord } from "../remote/owner.ts";
import type { RemoteHost } from "../remote/remote-host.ts";
import { openRemoteTerminal } from "../remote/remote-terminal.ts";
import { singularityImage } from "./singularity-image.ts";

const startTimeoutMs = 120_000;
const prefix = "hermes-";

/** The terminal of a task in an instance of apptainer or singularity. */
export async function openSingularityTerminal(
  deps: BackendDeps,
  task: ToolTask,
  signal: AbortSignal,
): Promise<Terminal> {
  const program = await findSingularity(deps, signal);
  await stopOrphans(program, deps, signal);
  const { settings } = deps;
  const { scope, taskId } = task;
  const id = await ownerWord(signal);
  const scratch = await scratchFolder(deps);
  const image = await singularityImage(
    deps,
    { program, image: scope.terminal.image ?? settings.singularity_image },
    signal,
  );
  const own = path.join(scratch, "instances", id);
  await ensureDir(own, 0o700);
  const overlay = settings.container_persistent ? await keptOverlay(deps, scratch, taskId) : undefined;
  await startInstance(program, { deps, id, image, overlay, own }, signal);
  const host = singularityHost(deps, { program, id, own, isPersistent: overlay !== undefined });
  const cwd = containerCwd({ own: scope.terminal.cwd, configured: settings.cwd, fallback: "/root" }, deps.logger);
  return openRemoteTerminal(host, terminalOptions(deps, task, { id, cwd }), signal);
}

/** The program that answers, of the two names it goes by. */
async function findSingularity({ env, clientEnvironment }: BackendDeps, signal: AbortSignal): Promise<string> {
  for (const name of ["apptainer", "singularity"]) {
    const program = findExecutable(name, env);
    if (program === undefined) continue;
    const asked = await runProcess(program, ["version"], {
      env: clientEnvironment,
      signal,
      timeoutMs: 5_000,
      cwd: "/",
    });
    if (asked.exitCode === 0) return program;
  }
  throw new UserError("Neither apptainer nor singularity answers.", { hint: "Install apptainer." });
}

/** Where large files of terminals go: what the person says, the scratch disk of a cluster, else our own folder. */
async function scratchFolder({ env, sandboxDir }: BackendDeps): Promise<string> {
  const named = env["TERMINAL_SCRATCH_DIR"];
  if (named !== undefined && named !== "") return named;
  const cluster = path.join("/scratch", userInfo().username);
  const isThere = await access(cluster, constants.W_OK).then(
    () => true,
    () => false,
  );
  return isThere ? path.join(cluster, "hermes-agent") : path.join(sandboxDir, "singularity");
}

/** The folder that keeps what a task changes, written down so that a person finds it. */
async function keptOverlay({ sandboxDir }: BackendDeps, scratch: string, taskId: string): Promise<string> {
  const overlay = path.join(scratch, "hermes-overlays", `overlay-${safeName(taskId)}`);
  await ensureDir(overlay, 0o700);
  const file = path.join(sandboxDir, "singularity_snapshots.json");
  const parsed = parseJson((await readTextFile(file, { maxBytes: 1_000_000 })) ?? "{}");
  const known = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
  if (known[taskId] !== overlay) {
    await ensureDir(sandboxDir, 0o700);
    await writeFileAtomic(file, `${toJsonText({ ...known, [taskId]: overlay })}\n`, { mode: 0o600 });
  }
  return overlay;
}

async function startInstance(
  program: string,
  at: {
    readonly deps: BackendDeps;
    readonly id: string;
    readonly image: string;
    readonly overlay: string | undefined;
    readonly own: string;
  },
  signal: AbortSignal,
): Promise<void> {
  const { settings, clientEnvironment: env, notice } = at.deps;
  const start = (limits: readonly string[]): Promise<ProcessResult> => {
    const writable = at.overlay === undefined ? ["--writable-tmpfs"] : ["--overlay", at.overlay];
    const args = ["instance", "start", "--containall", "--no-home", "--cleanenv", "--workdir", at.own, ...writable];
    const all = [...args, ...binds, ...limits, at.image, `${prefix}${at.id}`];
    return runProcess(program, all, { env, signal, timeoutMs: startTimeoutMs, cwd: "/", keepDescendants: true });
  };
  const files = await followedFiles(at.deps);
  const binds = files.flatMap(({ host, name }) => ["--bind", `${host}:/root/.hermes/${name}:ro`]);
  const limits = ["--memory", `${settings.container_memory}M`, "--cpus", String(settings.container_cpu)];
  const first = await start(limits);
  if (first.exitCode === 0) return;
  signal.throwIfAborted();
  // Without control groups of its own a user cannot limit anything.
  const second = await start([]);
  if (second.exitCode !== 0) {
    await rm(at.own, { recursive: true, force: true });
    throw new UserError(`The instance from ${at.image} could not be started: ${second.stderr.trim().slice(-1_000)}`);
  }
  notice("Memory and processors of singularity terminals cannot be limited on this machine.");
}

function singularityHost(
  deps: BackendDeps,
  at: { readonly program: string; readonly id: string; readonly own: string; readonly isPersistent: boolean },
): RemoteHost {
  const { program, id } = at;
  const env = deps.clientEnvironment;
  const args = (argv: readonly string[]): readonly string[] => [
    ...["--silent", "exec", "--cleanenv", "--no-home", "--pwd", "/", `instance://${prefix}${id}`],
    ...argv,
  ];
  return {
    kind: "singularity",
    isPersistent: at.isPersistent,
    clientEnvironment: env,
    start: (argv, { stdin, signal }) =>
      startClient({ program, args: args(argv) }, { env, stdin, signal, watch: (pid) => deps.watch(pid) }),
    underPty: (argv) => ({ program, args: args(argv) }),
    async [Symbol.asyncDispose]() {
      await stopInstance(program, `${prefix}${id}`, env);
      await rm(at.own, { recursive: true, force: true });
    },
  };
}

async function stopInstance(program: string, name: string, env: Readonly<Record<string, string>>): Promise<void> {
  using limit = deadline(30_000);
  await runProcess(program, ["instance", "stop", "--timeout", "2", name], { env, signal: limit.signal, cwd: "/" });
}

/** Instances of a Hermes that died. */
async function stopOrphans(program: string, deps: BackendDeps, signal: AbortSignal): Promise<void> {
  const env = deps.clientEnvironment;
  const listed = await runProcess(program, ["instance", "list", "--json"], {
    env,
    signal,
    timeoutMs: 10_000,
    cwd: "/",
  });
  const parsed = parseJson(listed.stdout);
  const instances = parsed.ok && isRecord(parsed.value) ? parsed.value["instances"] : undefined;
  if (!Array.isArray(instances)) return;
  for (const one of instances) {
    const name: unknown = isRecord(one) ? one["instance"] : undefined;
    if (typeof name !== "string" || !name.startsWith(prefix)) continue;
    if (!(await isOwnerGone(name.slice(prefix.length), signal))) continue;
    await stopInstance(program, name, env);
    deps.logger.info("stopped an instance whose Hermes is gone", { name });
  }
}

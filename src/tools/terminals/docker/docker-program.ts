import { UserError } from "#foundation/errors";
import { linkSignals } from "#foundation/lifecycle/abort";
import { findExecutable } from "#foundation/process/platform";
import { type ProcessResult, runProcess } from "#foundation/process/run";

/** A container program that answers. */
export interface DockerProgram {
  readonly program: string;
  readonly isPodman: boolean;
  run(args: readonly string[], options: DockerCall): Promise<ProcessResult>;
}

export interface DockerCall {
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

const installPaths = [
  "/usr/local/bin/docker",
  "/opt/homebrew/bin/docker",
  "/Applications/Docker.app/Contents/Resources/bin/docker",
];

/** The programs to try, in order. */
function candidates(env: NodeJS.ProcessEnv): readonly string[] {
  const named = env["HERMES_DOCKER_BINARY"];
  if (named !== undefined && named !== "") return [named];
  const found = ["docker", "podman", ...installPaths].map((name) => findExecutable(name, env));
  return [...new Set(found.filter((program) => program !== undefined))];
}

/** Finds a container program whose engine answers; a docker without its daemon gives way to podman. */
export async function findDocker(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<DockerProgram> {
  const problems: string[] = [];
  for (const program of candidates(env)) {
    const asked = await ask(program, env, signal);
    if (asked.kind === "answers") return dockerProgram(program, env, asked.isPodman);
    problems.push(`${program}: ${asked.why}`);
  }
  signal.throwIfAborted();
  const why = problems.length === 0 ? "neither docker nor podman is on the PATH" : problems.join("; ");
  throw new UserError(`No container program answers (${why}).`, {
    hint: "Install and start docker or podman, or name one in HERMES_DOCKER_BINARY.",
  });
}

async function ask(
  program: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<
  { readonly kind: "answers"; readonly isPodman: boolean } | { readonly kind: "silent"; readonly why: string }
> {
  try {
    const ran = await runProcess(program, ["version"], { env, signal, timeoutMs: 5_000 });
    if (ran.exitCode === 0) return { kind: "answers", isPodman: /podman/i.test(ran.stdout) || /podman$/.test(program) };
    const why = ran.timedOut ? "no answer in 5 s" : (ran.stderr.trim().split("\n")[0] ?? "");
    return { kind: "silent", why: why === "" ? `exit ${ran.exitCode}` : why };
  } catch (error) {
    return { kind: "silent", why: error instanceof Error ? error.message : String(error) };
  }
}

function dockerProgram(program: string, env: NodeJS.ProcessEnv, isPodman: boolean): DockerProgram {
  return {
    program,
    isPodman,
    run: (args, { signal, timeoutMs = 30_000 }) =>
      runProcess(program, args, { env, signal: linkSignals(signal), timeoutMs, cwd: "/" }),
  };
}

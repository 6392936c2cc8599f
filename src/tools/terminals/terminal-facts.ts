import type { Config } from "#config";
import { describe } from "#foundation/errors";
import { findExecutable } from "#foundation/process/platform";
import { runProcess } from "#foundation/process/run";
import { childEnvironment } from "./environment-variables.ts";

/** What a person wants to know about the configured terminal. */
export interface TerminalFacts {
  readonly kind: string;
  /** Image or address, where there is one. */
  readonly target: string | undefined;
  /** What outlives it. */
  readonly keeps: string;
}

/** From the settings alone; nothing is started. */
export function terminalFacts(settings: Config["terminal"]): TerminalFacts {
  const isKept = settings.container_persistent;
  switch (settings.backend) {
    case "local":
      return { kind: "local", target: undefined, keeps: "everything, on this machine" };
    case "docker":
      return { kind: "docker", target: settings.docker_image, keeps: isKept ? "/root and /workspace" : "nothing" };
    case "ssh":
      return {
        kind: "ssh",
        target: `${settings.ssh_user}@${settings.ssh_host}:${settings.ssh_port}`,
        keeps: "everything, on that machine",
      };
    case "singularity":
      return { kind: "singularity", target: settings.singularity_image, keeps: isKept ? "an overlay" : "nothing" };
    case "modal":
    case "daytona":
      return { kind: settings.backend, target: undefined, keeps: "nothing" };
  }
}

export type Reached =
  | { readonly kind: "reached"; readonly detail: string; readonly warning?: string | undefined }
  | { readonly kind: "unreachable"; readonly detail: string; readonly hint: string };

/** Tries the way to the configured terminal, without making one. */
export async function reachTerminal(
  settings: Config["terminal"],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Reached> {
  try {
    switch (settings.backend) {
      case "local":
        return { kind: "reached", detail: "this machine" };
      case "docker":
        return await reachDocker(settings, env, signal);
      case "ssh":
        return await reachSsh(settings, env, signal);
      case "singularity":
        return await reachSingularity(env, signal);
      case "modal":
      case "daytona":
        return {
          kind: "unreachable",
          detail: `there is no ${settings.backend} terminal yet`,
          hint: "Choose local, docker, ssh or singularity.",
        };
    }
  } catch (error) {
    signal.throwIfAborted();
    return { kind: "unreachable", detail: describe(error), hint: "docs/guide/terminals.md shows how it is set up." };
  }
}

async function reachDocker(
  settings: Config["terminal"],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Reached> {
  const { findDocker } = await import("./docker/docker-program.ts");
  const docker = await findDocker(env, signal);
  const { docker_image: image } = settings;
  const looked = await docker.run(["image", "inspect", image], { signal, timeoutMs: 10_000 });
  const warning = looked.exitCode === 0 ? undefined : `the image ${image} is not here yet; the first use fetches it`;
  return { kind: "reached", detail: docker.program, warning };
}

async function reachSsh(settings: Config["terminal"], env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<Reached> {
  const { sshTarget } = await import("./ssh/ssh-options.ts");
  const target = sshTarget(settings);
  const agent = env["SSH_AUTH_SOCK"];
  const own = {
    ...childEnvironment(env, { policy: "inherit" }),
    ...(agent === undefined ? {} : { SSH_AUTH_SOCK: agent }),
  };
  const args = ["-T", ...target.args, "--", target.destination, "exit 0"];
  const ran = await runProcess("ssh", args, { env: own, signal, timeoutMs: 15_000, cwd: "/" });
  if (ran.exitCode === 0) return { kind: "reached", detail: target.destination };
  const why = ran.timedOut ? "no answer in 15 s" : (ran.stderr.trim().split("\n").at(-1) ?? "");
  return {
    kind: "unreachable",
    detail: `${target.destination}: ${why}`,
    hint: `It must work without a password: ssh ${target.destination} true`,
  };
}

async function reachSingularity(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<Reached> {
  for (const name of ["apptainer", "singularity"]) {
    const program = findExecutable(name, env);
    if (program === undefined) continue;
    const ran = await runProcess(program, ["version"], { env, signal, timeoutMs: 5_000, cwd: "/" });
    if (ran.exitCode === 0) return { kind: "reached", detail: `${program} ${ran.stdout.trim()}` };
  }
  return { kind: "unreachable", detail: "neither apptainer nor singularity answers", hint: "Install apptainer." };
}

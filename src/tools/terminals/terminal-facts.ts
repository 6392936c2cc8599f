import type { Config } from "#config";
import { describe } from "#foundation/errors";
import { ask } from "#foundation/http/ask";
import { findExecutable } from "#foundation/process/platform";
import { runProcess } from "#foundation/process/run";
import { childEnvironment } from "./environment-variables.ts";
import { modalKey } from "./terminal-needs.ts";

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
      return {
        kind: "modal",
        target: settings.modal_image,
        keeps: isKept ? "all files, as a snapshot at Modal" : "nothing",
      };
    case "daytona":
      return {
        kind: "daytona",
        target: settings.daytona_image,
        keeps: isKept ? "all files, in a stopped sandbox at Daytona" : "nothing",
      };
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
        return reachModal(settings, env);
      case "daytona":
        return await reachDaytona(env, signal);
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

/** Whether there is a key or a token; only a sandbox, which costs money, would show that Modal takes it. */
function reachModal({ modal_mode: mode }: Config["terminal"], env: NodeJS.ProcessEnv): Reached {
  const hasToken = mode !== "direct" && (env["TOOL_GATEWAY_USER_TOKEN"] ?? "") !== "";
  if (hasToken) return { kind: "reached", detail: "through the subscription, with TOOL_GATEWAY_USER_TOKEN" };
  if (mode === "managed")
    return { kind: "reached", detail: "through the subscription of the Nous login, where that is paid" };
  const key = modalKey(env);
  if (key !== undefined) return { kind: "reached", detail: `with the key of ${key}` };
  return {
    kind: "unreachable",
    detail: "there is no key for Modal",
    hint: "Set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET, or run: modal setup",
  };
}

/** Asks for a sandbox that does not exist: whoever answers that has taken the key. */
async function reachDaytona(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<Reached> {
  const { daytonaAddress } = await import("./daytona/daytona-sdk.ts");
  const key = env["DAYTONA_API_KEY"];
  const hint = "Run: hermes config set DAYTONA_API_KEY <key>";
  if (key === undefined || key === "") return { kind: "unreachable", detail: "DAYTONA_API_KEY is not set", hint };
  const address = daytonaAddress(env);
  const headers = { authorization: `Bearer ${key}` };
  const question = { method: "GET", body: { kind: "none" }, headers, timeoutMs: 10_000 } as const;
  const answer = await ask(`${address}/sandbox/hermes-doctor`, question, signal);
  if (answer.kind === "unreachable") return { kind: "unreachable", detail: answer.message, hint };
  if (answer.status < 300 || answer.status === 404) return { kind: "reached", detail: address };
  return { kind: "unreachable", detail: `${address} answers ${answer.status}`, hint };
}

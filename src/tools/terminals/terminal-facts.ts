import type { Config } from "#config";
import { defined } from "#foundation/defined";
import { describe } from "#foundation/errors";
import { ask } from "#foundation/http/ask";
import { findExecutable } from "#foundation/process/platform";
import { runProcess } from "#foundation/process/run";
import type { Secret } from "#foundation/secrets/secret";
import { childEnvironment } from "./environment-variables.ts";
import type { BackendDeps } from "./remote/backend.ts";
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

export interface ReachDeps {
  readonly env: NodeJS.ProcessEnv;
  /** The way to Modal that a subscription pays for; undefined where there is none. */
  readonly subscription: NonNullable<BackendDeps["subscription"]>;
}

/** Tries the way to the configured terminal, without making one. */
export async function reachTerminal(
  settings: Config["terminal"],
  deps: ReachDeps,
  signal: AbortSignal,
): Promise<Reached> {
  const { env } = deps;
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
        return await reachModal(settings, deps, signal);
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
    ...defined({ SSH_AUTH_SOCK: agent }),
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

/** Through the subscription where that counts first; else whether there is a key, since only a sandbox, which costs money, would show that Modal takes it. */
async function reachModal(
  { modal_mode: mode }: Config["terminal"],
  deps: ReachDeps,
  signal: AbortSignal,
): Promise<Reached> {
  const access = mode === "direct" ? undefined : await deps.subscription("modal", signal);
  if (access !== undefined) return reachManagedModal(access, signal);
  if (mode === "managed") {
    return {
      kind: "unreachable",
      detail: "there is no login with a paid subscription",
      hint: "Log in with: hermes auth add nous, or set terminal.modal_mode to direct and use a key of your own.",
    };
  }
  const key = modalKey(deps.env);
  if (key !== undefined)
    return { kind: "reached", detail: `the key of ${key}`, warning: "there is a key; only a sandbox would try it" };
  return {
    kind: "unreachable",
    detail: "there is no key for Modal",
    hint: "Set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET, or run: modal setup",
  };
}

async function reachManagedModal(
  { origin, token }: { readonly origin: string; readonly token: Secret },
  signal: AbortSignal,
): Promise<Reached> {
  const url = `${origin}/v1/sandboxes/hermes-doctor/execs/none`;
  const detail = `${origin}, through the subscription`;
  return reachByMissing(
    url,
    { token: token.reveal(), detail, hint: "Log in again with: hermes auth add nous" },
    signal,
  );
}

async function reachDaytona(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<Reached> {
  const { daytonaAddress } = await import("./daytona/daytona-sdk.ts");
  const key = env["DAYTONA_API_KEY"];
  const hint = "Run: hermes config set DAYTONA_API_KEY <key>";
  if (key === undefined || key === "") return { kind: "unreachable", detail: "DAYTONA_API_KEY is not set", hint };
  const address = daytonaAddress(env);
  return reachByMissing(`${address}/sandbox/hermes-doctor`, { token: key, detail: address, hint }, signal);
}

/** Asks for something that does not exist: whoever answers that it does not has taken the key. */
async function reachByMissing(
  url: string,
  at: { readonly token: string; readonly detail: string; readonly hint: string },
  signal: AbortSignal,
): Promise<Reached> {
  const headers = { authorization: `Bearer ${at.token}` };
  const question = { method: "GET", body: { kind: "none" }, headers, timeoutMs: 10_000 } as const;
  const answer = await ask(url, question, signal);
  if (answer.kind === "unreachable") return { kind: "unreachable", detail: answer.message, hint: at.hint };
  if (answer.status < 300 || answer.status === 404) return { kind: "reached", detail: at.detail };
  return { kind: "unreachable", detail: `${new URL(url).origin} answers ${answer.status}`, hint: at.hint };
}

import { UserError } from "#foundation/errors";
import { findExecutable } from "#foundation/process/platform";
import { runProcess } from "#foundation/process/run";
import type { Confine, ProgramCall } from "./local/local-terminal.ts";
import { bubblewrapCall } from "./sandbox/bubblewrap.ts";
import { masksOf, type SandboxPolicy } from "./sandbox/policy.ts";
import { seatbeltProfile } from "./sandbox/seatbelt.ts";

/** `terminal.sandbox`: `auto` uses it where it works and says when it does not; `on` refuses to run without. */
export type SandboxMode = "auto" | "on" | "off";

export interface SandboxOptions {
  readonly mode: SandboxMode;
  readonly policy: SandboxPolicy;
  readonly env: NodeJS.ProcessEnv;
  readonly tempDir: string;
  readonly platform?: NodeJS.Platform;
}

export type Sandbox =
  | { readonly kind: "confined"; readonly confine: Confine; readonly by: "bubblewrap" | "seatbelt" }
  | { readonly kind: "open" /** For people, loudly, once; absent when they chose it. */; readonly notice?: string };

const probeTimeoutMs = 5_000;

/** Finds out what confines commands on this machine, by trying it. */
export async function openSandbox(options: SandboxOptions, signal: AbortSignal): Promise<Sandbox> {
  if (options.mode === "off") return { kind: "open" };
  const platform = options.platform ?? process.platform;
  const missing = await tryIt(options, platform, signal);
  if (typeof missing !== "string") return missing;
  if (options.mode === "on") {
    throw new UserError(`terminal.sandbox is on, but commands cannot be confined here: ${missing}.`, {
      code: "sandbox_missing",
      hint: "Install bubblewrap (Linux), or set terminal.sandbox to auto or off.",
    });
  }
  return {
    kind: "open",
    notice: `Commands run WITHOUT a sandbox: ${missing}. Install bubblewrap, or set terminal.sandbox: off to hide this.`,
  };
}

async function tryIt(
  options: SandboxOptions,
  platform: NodeJS.Platform,
  signal: AbortSignal,
): Promise<Sandbox | string> {
  if (platform !== "linux" && platform !== "darwin") return `there is no sandbox for ${platform}`;
  const name = platform === "linux" ? "bwrap" : "sandbox-exec";
  const program = findExecutable(name, options.env);
  if (program === undefined) return `${name} is not installed`;
  const tries =
    platform === "linux"
      ? [withBubblewrap(program, options, true), withBubblewrap(program, options, false)]
      : [withSeatbelt(program, options)];
  let words = "";
  for (const confine of tries) {
    const call = confine({ program: "/bin/sh", args: ["-c", "exit 0"] }, { cwd: "/", writable: [] });
    const run = { signal, timeoutMs: probeTimeoutMs, cwd: "/", env: options.env };
    const tried = await runProcess(call.program, call.args, run);
    signal.throwIfAborted();
    if (tried.exitCode === 0) {
      return { kind: "confined", confine, by: platform === "linux" ? "bubblewrap" : "seatbelt" };
    }
    words = tried.stderr.trim().split("\n")[0] ?? "";
  }
  return `${name} does not work here${words === "" ? "" : ` (${words.slice(0, 200)})`}`;
}

function withBubblewrap(program: string, options: SandboxOptions, canDisableUserNamespaces: boolean): Confine {
  const { policy, tempDir } = options;
  return (call, place) => bubblewrapCall(program, call, { ...place, policy, tempDir, canDisableUserNamespaces });
}

function withSeatbelt(program: string, options: SandboxOptions): Confine {
  return (call, { writable }): ProgramCall => {
    const masks = masksOf(options.policy, options.tempDir);
    return { program, args: ["-p", seatbeltProfile(options.policy, { writable, masks }), call.program, ...call.args] };
  };
}

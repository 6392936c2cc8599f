import { UserError } from "#foundation/errors";
import { findExecutable } from "#foundation/process/platform";
import { runProcess } from "#foundation/process/run";

/** `terminal.sandbox`: `auto` uses it where it works and says when it does not; `on` refuses to run without. */
export type SandboxMode = "auto" | "on" | "off";

/** What holds programs inside the wall on this machine. */
export type Enforcer =
  | {
      readonly kind: "bubblewrap";
      readonly program: string;
      /** Versions before 0.8 cannot forbid further user namespaces; mounts made here stay locked there all the same. */
      readonly canDisableUserNamespaces: boolean;
      /** Joins the network of a session; undefined where the program is missing. */
      readonly nsenter: string | undefined;
    }
  | { readonly kind: "seatbelt"; readonly program: string }
  | {
      readonly kind: "none" /** For people, loudly, once; absent when they chose it. */;
      readonly notice?: string | undefined;
    };

export interface EnforcerOptions {
  readonly mode: SandboxMode;
  readonly env: NodeJS.ProcessEnv;
  readonly platform?: NodeJS.Platform | undefined;
}

const probeTimeoutMs = 5_000;

/** Finds out what confines programs on this machine, by trying it. */
export async function findEnforcer(options: EnforcerOptions, signal: AbortSignal): Promise<Enforcer> {
  if (options.mode === "off") return { kind: "none" };
  const found = await tryIt(options, signal);
  if (typeof found !== "string") return found;
  if (options.mode === "on")
    throw new UserError(`terminal.sandbox is on, but commands cannot be confined here: ${found}.`, {
      code: "sandbox_missing",
      hint: "Install bubblewrap (Linux), or set terminal.sandbox to auto or off.",
    });
  return {
    kind: "none",
    notice: `No sandbox on this machine: ${found}. Whatever a sandbox would have contained needs your approval, one by one, and is refused where nobody can be asked. Install bubblewrap to change that; hermes doctor says how.`,
  };
}

async function tryIt(options: EnforcerOptions, signal: AbortSignal): Promise<Enforcer | string> {
  const platform = options.platform ?? process.platform;
  if (platform !== "linux" && platform !== "darwin") return `there is no sandbox for ${platform}`;
  const name = platform === "linux" ? "bwrap" : "sandbox-exec";
  const program = findExecutable(name, options.env);
  if (program === undefined) return `${name} is not installed`;
  const nsenter = findExecutable("nsenter", options.env);
  const inside = ["--ro-bind", "/", "/", "--dev", "/dev", "--", "/bin/sh", "-c", "exit 0"];
  const tries: readonly (readonly [Enforcer, readonly string[]])[] =
    platform === "darwin"
      ? [[{ kind: "seatbelt", program }, ["-p", "(version 1)(allow default)", "/bin/sh", "-c", "exit 0"]]]
      : [
          [
            { kind: "bubblewrap", program, nsenter, canDisableUserNamespaces: true },
            ["--unshare-user", "--disable-userns", ...inside],
          ],
          [{ kind: "bubblewrap", program, nsenter, canDisableUserNamespaces: false }, ["--unshare-user", ...inside]],
        ];
  let words = "";
  for (const [enforcer, args] of tries) {
    const tried = await runProcess(program, args, { signal, timeoutMs: probeTimeoutMs, cwd: "/", env: options.env });
    signal.throwIfAborted();
    if (tried.exitCode === 0) return enforcer;
    words = tried.stderr.trim().split("\n")[0] ?? "";
  }
  return `${name} does not work here${words === "" ? "" : ` (${words.slice(0, 200)})`}`;
}

import { existsSync } from "node:fs";
import type { ProgramCall } from "../local/local-terminal.ts";
import { isInside, masksOf, type SandboxPolicy } from "./policy.ts";

/** Sockets live below /run, and the one of a container engine is a way out; only name resolution stays. */
const keptOfRun = ["/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager"];

const keptSecretPlaces = [
  "SSH_AUTH_SOCK",
  "SSH_AGENT_PID",
  "GPG_AGENT_INFO",
  "DBUS_SESSION_BUS_ADDRESS",
  "DOCKER_HOST",
];

/**
 * A program call inside bubblewrap. Later options cover earlier ones, so the order is: everything
 * read-only, then what may be written, then what is hidden, whatever it lies in.
 */
export function bubblewrapCall(
  bwrap: string,
  call: ProgramCall,
  place: {
    readonly policy: SandboxPolicy;
    readonly cwd: string;
    readonly writable: readonly string[];
    readonly tempDir: string;
    /** Versions before 0.8 cannot forbid further user namespaces; mounts made here stay locked there all the same. */
    readonly canDisableUserNamespaces: boolean;
  },
): ProgramCall {
  const { policy } = place;
  const writable = [...new Set([...policy.writable, ...place.writable])].filter((folder) => existsSync(folder));
  const hidden = masksOf(policy, place.tempDir).flatMap((mask) =>
    mask.kind === "folder"
      ? ["--perms", "0700", "--tmpfs", mask.path, "--remount-ro", mask.path]
      : ["--ro-bind", "/dev/null", mask.path],
  );
  const args = [
    "--unshare-user",
    ...(place.canDisableUserNamespaces ? ["--disable-userns"] : []),
    "--unshare-ipc",
    "--unshare-uts",
    ...(policy.hasOwnPids === false ? [] : ["--unshare-pid"]),
    ...(policy.network === "none" ? ["--unshare-net"] : []),
    "--die-with-parent",
    "--cap-drop",
    "ALL",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    ...(policy.hasOwnPids === false ? [] : ["--proc", "/proc"]),
    "--tmpfs",
    "/run",
    ...keptOfRun.flatMap((folder) => ["--ro-bind-try", folder, folder]),
    "--remount-ro",
    "/run",
    ...writable.filter((folder) => !isInside(folder, policy.hermesHome)).flatMap(bind),
    // Our own settings decide about this sandbox; they are not written from inside, also when they lie in the workspace.
    ...(existsSync(policy.hermesHome) ? ["--ro-bind", policy.hermesHome, policy.hermesHome] : []),
    ...writable.filter((folder) => isInside(folder, policy.hermesHome)).flatMap(bind),
    ...hidden,
    ...keptSecretPlaces.flatMap((name) => ["--unsetenv", name]),
    "--chdir",
    // A shell enters its directory itself and can say that it is gone; here that would be a failure of the sandbox.
    existsSync(place.cwd) ? place.cwd : "/",
  ];
  return { program: bwrap, args: [...args, "--", call.program, ...call.args] };
}

function bind(folder: string): readonly string[] {
  return ["--bind", folder, folder];
}

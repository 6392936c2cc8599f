import { existsSync } from "node:fs";
import type { ProgramCall } from "../terminals/local/local-terminal.ts";
import { type Confinement, isWithin } from "./confinement.ts";
import type { Enforcer } from "./enforcer.ts";
import { type Covered, guardsOf, masksOf, writableFolders } from "./masks.ts";

/** What is special about one call. */
export interface CallConditions {
  readonly cwd: string;
  readonly isBackground: boolean;
  /** Besides what the wall lets be written: folders of our own that the call needs. */
  readonly writable: readonly string[];
  readonly tempDir: string;
  /** Nothing but an empty network; where the session has a network of its own, the call joins that instead. */
  readonly isOffline: boolean;
  /** Secrets of the project that a person has shown this session. */
  readonly revealed: readonly string[];
}

/** Sockets live below /run, and the one of a container engine is a way out; only name resolution stays. */
const keptOfRun = ["/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager"];

const hiddenVariables = ["SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST"];

/**
 * A program call inside bubblewrap. Later options cover earlier ones, so the order is: everything read-only, then what may be
 * written, then our own homes, then what is guarded and what is hidden, whatever it lies in.
 */
export function bubblewrapCall(
  enforcer: Extract<Enforcer, { kind: "bubblewrap" }>,
  wall: Confinement,
  work: { readonly call: ProgramCall; readonly at: CallConditions },
): ProgramCall {
  const { call, at } = work;
  const folders = [...new Set([...writableFolders(wall, at.isBackground), ...at.writable])].filter((folder) =>
    existsSync(folder),
  );
  const own = (folder: string): boolean => isWithin(wall.hermesHome, folder);
  const masks = masksOf(wall, at.tempDir).filter(({ path }) => !at.revealed.includes(path));
  const args = [
    "--unshare-user",
    ...(enforcer.canDisableUserNamespaces ? ["--disable-userns"] : []),
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-pid",
    ...(at.isOffline ? ["--unshare-net"] : []),
    "--die-with-parent",
    "--cap-drop",
    "ALL",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--tmpfs",
    "/run",
    ...keptOfRun.flatMap((folder) => ["--ro-bind-try", folder, folder]),
    "--remount-ro",
    "/run",
    ...folders.filter((folder) => !own(folder)).flatMap(bind),
    ...(existsSync(wall.hermesHome) ? hermesHome(wall, folders.filter(own)) : []),
    ...guardsOf(wall).flatMap(({ path }) => ["--ro-bind", path, path]),
    ...masks.flatMap(hide),
    ...hiddenVariables.flatMap((name) => ["--unsetenv", name]),
    "--chdir",
    // A shell enters its directory itself and can say that it is gone; here that would be a failure of the sandbox.
    existsSync(at.cwd) ? at.cwd : "/",
  ];
  return { program: enforcer.program, args: [...args, "--", call.program, ...call.args] };
}

/** All of it empty, with what programs may have of it put back. */
function hermesHome(
  { hermesHome: home, hermesReadable, hermesWritable }: Confinement,
  folders: readonly string[],
): readonly string[] {
  return [
    ...["--perms", "0700", "--tmpfs", home],
    ...hermesReadable.flatMap((folder) => ["--ro-bind-try", folder, folder]),
    ...hermesWritable.flatMap((folder) => ["--bind-try", folder, folder]),
    ...folders.flatMap(bind),
    ...["--remount-ro", home],
  ];
}

function hide({ path, kind }: Covered): readonly string[] {
  return kind === "folder"
    ? ["--perms", "0700", "--tmpfs", path, "--remount-ro", path]
    : ["--ro-bind", "/dev/null", path];
}

function bind(folder: string): readonly string[] {
  return ["--bind", folder, folder];
}

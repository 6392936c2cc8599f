import { existsSync, realpathSync } from "node:fs";
import type { ProgramCall } from "../terminals/local/local-terminal.ts";
import { type Confinement, isWithin } from "./confinement.ts";
import type { Enforcer } from "./enforcer.ts";
import { type Covered, guardsOf, masksOf, pinnedFolders, writableFolders } from "./masks.ts";
import type { KnownSecretFiles } from "./secret-files.ts";

/** What is special about one call. */
export interface CallConditions {
  readonly cwd: string;
  readonly isBackground: boolean;
  /** Besides what the wall lets be written: folders of our own that the call needs. */
  readonly writable: readonly string[];
  /** Files of our own that the call needs, wherever they lie. */
  readonly readable?: readonly string[] | undefined;
  readonly tempDir: string;
  /** Nothing but an empty network; where the session has a network of its own, the call joins that instead. */
  readonly isOffline: boolean;
  /** Secrets that a person has shown. */
  readonly revealed: readonly string[];
  /** Files that hold credentials by their name, known from call to call. */
  readonly secretFiles?: KnownSecretFiles | undefined;
  /** Replaces `/etc/resolv.conf`. */
  readonly resolver?: string | undefined;
}

/** Sockets live below /run: of container engines, of resolvers that pass on what they are asked. Only what names are resolved by stays. */
const keptOfRun = [
  "/run/systemd/resolve/resolv.conf",
  "/run/systemd/resolve/stub-resolv.conf",
  "/run/resolvconf/resolv.conf",
  "/run/NetworkManager/resolv.conf",
];

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
  const masks = masksOf(wall, at.tempDir, at.secretFiles).filter(
    ({ path }) => !at.revealed.some((file) => isWithin(path, file)),
  );
  const guards = guardsOf(wall, at.isBackground);
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
    ...keptOfRun.flatMap((file) => ["--ro-bind-try", file, file]),
    ...(at.resolver === undefined ? [] : resolverOf(at.resolver)),
    "--remount-ro",
    "/run",
    ...folders.filter((folder) => !own(folder)).flatMap(bind),
    ...(existsSync(wall.hermesHome)
      ? hermesHome(wall, { writable: folders.filter(own), readable: at.revealed.filter(own) })
      : []),
    // What is mounted cannot be moved.
    ...pinnedFolders(wall, guards).flatMap(bind),
    ...guards.flatMap(({ path }) => ["--ro-bind", path, path]),
    ...masks.flatMap((mask) => hide(mask, at)),
    ...hiddenVariables.flatMap((name) => ["--unsetenv", name]),
    "--chdir",
    // A shell enters its directory itself and can say that it is gone; here that would be a failure of the sandbox.
    existsSync(at.cwd) ? at.cwd : "/",
  ];
  return { program: enforcer.program, args: [...args, "--", call.program, ...call.args] };
}

/** The file may be a link into /run; a link cannot be covered, what it leads to can. */
function resolverOf(file: string): readonly string[] {
  try {
    return ["--ro-bind", file, realpathSync("/etc/resolv.conf")];
  } catch {
    // No such file here: names are looked up at this machine's own address, where they are answered.
    return [];
  }
}

/** All of it empty, with what programs may have of it put back. */
function hermesHome(
  { hermesHome: home, hermesReadable, hermesWritable }: Confinement,
  named: { readonly writable: readonly string[]; readonly readable: readonly string[] },
): readonly string[] {
  return [
    ...["--perms", "0700", "--tmpfs", home],
    ...[...hermesReadable, ...named.readable].flatMap((folder) => ["--ro-bind-try", folder, folder]),
    ...hermesWritable.flatMap((folder) => ["--bind-try", folder, folder]),
    ...named.writable.flatMap(bind),
    ...["--remount-ro", home],
  ];
}

/** What the call needs of a hidden folder is put back into it. */
function hide({ path, kind }: Covered, { writable, readable = [] }: CallConditions): readonly string[] {
  if (kind === "file") return ["--ro-bind", "/dev/null", path];
  const inside = (file: string): boolean => file !== path && isWithin(path, file) && existsSync(file);
  return [
    ...["--perms", "0700", "--tmpfs", path],
    ...writable.filter(inside).flatMap(bind),
    ...readable.filter(inside).flatMap((file) => ["--ro-bind", file, file]),
    ...["--remount-ro", path],
  ];
}

function bind(folder: string): readonly string[] {
  return ["--bind", folder, folder];
}

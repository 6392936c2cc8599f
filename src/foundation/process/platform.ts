import { accessSync, constants, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, resolve, sep } from "node:path";

/** What these questions look at; tests answer for another machine. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  /** The first few kilobytes of a file, or undefined when it cannot be read. */
  read(path: string): string | undefined;
  isExecutable(path: string): boolean;
}

export function thisMachine(env: NodeJS.ProcessEnv = process.env): Machine {
  return { platform: process.platform, env, read: readStart, isExecutable };
}

/** Windows Subsystem for Linux. */
export function isWsl(machine: Machine = thisMachine()): boolean {
  if (machine.platform !== "linux") return false;
  return isSet(machine.env.WSL_DISTRO_NAME) || /microsoft/i.test(machine.read("/proc/version") ?? "");
}

/** Termux, the terminal on Android. */
export function isTermux(machine: Machine = thisMachine()): boolean {
  return isSet(machine.env.TERMUX_VERSION) || (machine.env.PREFIX ?? "").includes("com.termux/files/usr");
}

/** Inside a container, by our own marker, by the files runtimes leave, or by the control group of the first process. */
export function isContainer(machine: Machine = thisMachine()): boolean {
  if (isTruthy(machine.env.HERMES_CONTAINER) || isSet(machine.env.KUBERNETES_SERVICE_HOST)) return true;
  if (isSet(machine.env.container)) return true;
  if (machine.read("/.dockerenv") !== undefined || machine.read("/run/.containerenv") !== undefined) return true;
  return /docker|kubepods|containerd|libpod|lxc/.test(machine.read("/proc/1/cgroup") ?? "");
}

/** The shell to run commands with: bash where there is one, else the user's shell, else `/bin/sh`. */
export function shellPath(env: NodeJS.ProcessEnv, machine: Machine = thisMachine(env)): string {
  const candidates = [findExecutable("bash", env, machine), "/usr/bin/bash", "/bin/bash", env.SHELL];
  return candidates.find((path) => path !== undefined && path !== "" && machine.isExecutable(path)) ?? "/bin/sh";
}

/** The program a shell would start for this name, from the PATH of `env`; undefined when there is none. */
export function findExecutable(
  name: string,
  env: NodeJS.ProcessEnv,
  machine: Machine = thisMachine(env),
): string | undefined {
  if (name.includes("/")) return machine.isExecutable(name) ? name : undefined;
  for (const folder of (env.PATH ?? "").split(delimiter)) {
    if (folder === "") continue;
    for (const extension of extensions(env, machine)) {
      const path = join(folder, name + extension);
      if (machine.isExecutable(path)) return path;
    }
  }
  return undefined;
}

/**
 * The environment for a program that Hermes starts for itself, outside of every wall: on its PATH is no folder in which programs of a
 * session can put one, such as that of a Python environment in the project or of `node_modules`.
 */
export function ownEnvironment(env: NodeJS.ProcessEnv, open: readonly string[]): NodeJS.ProcessEnv {
  const closed = open.flatMap((folder) => [resolve(folder), realOrSelf(folder)]);
  const isOpen = (folder: string): boolean => closed.some((one) => folder === one || folder.startsWith(join(one, sep)));
  const folders = (env.PATH ?? "").split(delimiter);
  const kept = folders.filter((one) => isAbsolute(one) && !isOpen(resolve(one)) && !isOpen(realOrSelf(one)));
  return { ...env, PATH: kept.join(delimiter) };
}

/** What is not there yet lies where its nearest folder does. */
function realOrSelf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    const parent = dirname(folder);
    return parent === folder ? folder : join(realOrSelf(parent), basename(folder));
  }
}

function extensions(env: NodeJS.ProcessEnv, machine: Machine): readonly string[] {
  if (machine.platform !== "win32") return [""];
  return ["", ...(env.PATHEXT ?? ".EXE;.CMD;.BAT").split(";")];
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}

/** The words people use in environment variables for yes. */
function isTruthy(value: string | undefined): boolean {
  return ["1", "true", "yes", "on"].includes((value ?? "").trim().toLowerCase());
}

function readStart(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").slice(0, 8192);
  } catch {
    // Not there or not ours to read: either way it tells nothing.
    return undefined;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

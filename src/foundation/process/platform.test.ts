import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import {
  findExecutable,
  isContainer,
  isTermux,
  isWsl,
  type Machine,
  ownEnvironment,
  shellPath,
  thisMachine,
} from "./platform.ts";

function machine(facts: Partial<Machine> & { files?: Record<string, string>; programs?: string[] } = {}): Machine {
  const { files = {}, programs = [], ...rest } = facts;
  return {
    platform: "linux",
    env: {},
    read: (path) => files[path],
    isExecutable: (path) => programs.includes(path),
    ...rest,
  };
}

test("WSL is told by its kernel or its variable, on Linux only", () => {
  expect(isWsl(machine({ files: { "/proc/version": "Linux 5.15 Microsoft-standard-WSL2" } }))).toBe(true);
  expect(isWsl(machine({ env: { WSL_DISTRO_NAME: "Debian" } }))).toBe(true);
  expect(isWsl(machine({ files: { "/proc/version": "Linux 6.1 Debian" } }))).toBe(false);
  expect(isWsl(machine({ platform: "darwin", env: { WSL_DISTRO_NAME: "x" } }))).toBe(false);
});

test("Termux is told by its version or its prefix", () => {
  expect(isTermux(machine({ env: { TERMUX_VERSION: "0.118" } }))).toBe(true);
  expect(isTermux(machine({ env: { PREFIX: "/data/data/com.termux/files/usr" } }))).toBe(true);
  expect(isTermux(machine({ env: { PREFIX: "/usr" } }))).toBe(false);
});

test("[20:R7.1] a container is told by our own variable and by the marks of runtimes", () => {
  expect(isContainer(machine())).toBe(false);
  expect(isContainer(machine({ env: { HERMES_CONTAINER: "1" } }))).toBe(true);
  expect(isContainer(machine({ env: { HERMES_CONTAINER: "0" } }))).toBe(false);
  expect(isContainer(machine({ files: { "/.dockerenv": "" } }))).toBe(true);
  expect(isContainer(machine({ files: { "/run/.containerenv": "" } }))).toBe(true);
  expect(isContainer(machine({ files: { "/proc/1/cgroup": "12:pids:/kubepods/besteffort/pod1" } }))).toBe(true);
  expect(isContainer(machine({ files: { "/proc/1/cgroup": "0::/init.scope" } }))).toBe(false);
});

test("the shell is bash where there is one, then the user's, then sh", () => {
  const env = { PATH: "/opt/bin:/usr/local/bin", SHELL: "/bin/zsh" };
  expect(shellPath(env, machine({ programs: ["/usr/local/bin/bash", "/bin/bash"] }))).toBe("/usr/local/bin/bash");
  expect(shellPath(env, machine({ programs: ["/bin/bash", "/bin/zsh"] }))).toBe("/bin/bash");
  expect(shellPath(env, machine({ programs: ["/bin/zsh"] }))).toBe("/bin/zsh");
  expect(shellPath({}, machine())).toBe("/bin/sh");
});

test("a program is found along the PATH, and a path is taken as it is", () => {
  const here = machine({ programs: ["/b/git", "/c/git"] });
  expect(findExecutable("git", { PATH: "/a::/b:/c" }, here)).toBe("/b/git");
  expect(findExecutable("/c/git", {}, here)).toBe("/c/git");
  expect(findExecutable("/d/git", {}, here)).toBeUndefined();
  expect(findExecutable("hg", { PATH: "/b" }, here)).toBeUndefined();
});

test("on Windows the usual extensions are tried", () => {
  const here = machine({ platform: "win32", programs: ["C/git.EXE"] });
  expect(findExecutable("git", { PATH: "C" }, here)).toBe("C/git.EXE");
});

test("this machine answers for itself", () => {
  const here = thisMachine();
  expect(findExecutable("node", { PATH: process.execPath.replace(/\/[^/]+$/, "") }, here)).toBe(process.execPath);
  expect(here.read("/definitely/not/here")).toBeUndefined();
  expect(here.isExecutable("/etc")).toBe(false);
});

test("programs of Hermes' own are not looked for where programs of a session write", () => {
  const project = mkdtempSync(path.join(tmpdir(), "hermes-path-"));
  try {
    symlinkSync(project, `${project}-link`);
    const folders = [
      `${project}/.venv/bin`,
      "node_modules/.bin",
      "",
      `${project}-link/not/there`,
      `${project}-2`,
      "/usr/bin",
    ];
    const env = { PATH: folders.join(path.delimiter), LANG: "C" };
    expect(ownEnvironment(env, [project])).toEqual({ PATH: `${project}-2${path.delimiter}/usr/bin`, LANG: "C" });
  } finally {
    rmSync(`${project}-link`);
    rmSync(project, { recursive: true });
  }
});

import { execFileSync, spawn } from "node:child_process";
import { linkSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "#foundation/files/logger";
import { signalGroup } from "#foundation/process/run";
import { memoryLogger } from "#foundation/testing/memory-logger";
import type { ExecOptions, Terminal } from "../contract/terminal.ts";
import { KnownRegistries } from "../network/registries.ts";
import { openLocalTerminal } from "../terminals/local/local-terminal.ts";
import { testScope } from "../testing.ts";
import { findEnforcer } from "./enforcer.ts";
import { Wall } from "./wall.ts";

const signal = new AbortController().signal;
const reason = missingReason();
if (reason !== undefined) process.stderr.write(`sandboxes made ahead are not tested: ${reason}\n`);

function missingReason(): string | undefined {
  if (process.platform !== "linux") return "they need Linux";
  try {
    execFileSync("bwrap", ["--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "true"], { stdio: "pipe" });
    return undefined;
  } catch (error) {
    return `bubblewrap does not work here (${error instanceof Error ? error.message.split("\n")[0] : "unknown"})`;
  }
}

let root: string;
let wall: Wall;
let terminal: Terminal;
/** Process groups in the order in which they were started. */
let started: number[];
const at = (...names: readonly string[]): string => path.join(root, ...names);

beforeEach(async () => {
  if (reason !== undefined) return;
  root = await realpath(await mkdtemp(path.join(os.tmpdir(), "hermes-spare-")));
  for (const folder of ["home/.ssh", "hermes", "work", "tmp"]) await mkdir(at(folder), { recursive: true });
  await writeFile(at("home/.ssh/id_rsa"), "SECRET\n");
  await writeFile(at("home/.netrc"), "SECRET\n");
  const env = { PATH: process.env["PATH"], HOME: at("home"), TMPDIR: at("tmp"), LANG: "C.UTF-8" };
  wall = await Wall.open(
    {
      enforcer: await findEnforcer({ mode: "on", env }, signal),
      env,
      home: at("home"),
      hermesHome: at("hermes"),
      hermesReadable: [],
      hermesWritable: [],
      tempDir: at("tmp"),
      cacheFolder: at("hermes/cache"),
      writable: [],
      masked: [],
      environment: [],
      network: { mode: "open", allow: [], deny: [] },
      registries: new KnownRegistries(env),
      remember: () => Promise.resolve(),
      logger: silentLogger,
    },
    testScope({ cwd: at("work") }),
    signal,
  );
  await openWith({ delayMs: 0, idleMs: 60_000 }, env);
});

async function openWith(spareTimes: { readonly delayMs: number; readonly idleMs: number }, env: NodeJS.ProcessEnv) {
  started = [];
  terminal = await openLocalTerminal(
    {
      taskId: "t",
      cwd: at("work"),
      env,
      environment: { policy: "inherit" },
      logger: memoryLogger(),
      wall,
      spareTimes,
      watch: (pid) => {
        started.push(pid);
        return { [Symbol.dispose]: () => undefined };
      },
    },
    signal,
  );
}

afterEach(async () => {
  if (reason !== undefined) return;
  await terminal[Symbol.asyncDispose]();
  await wall[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

const run = (command: string, options: Partial<ExecOptions> = {}) =>
  terminal.exec(command, { timeoutMs: 20_000, signal, ...options });

/** The group of a shell that waits for a command now, in a sandbox that is complete: the only one whose first process runs. */
async function spare(): Promise<number> {
  await run("true");
  for (;;) {
    const waiting = started.find(isRunning);
    if (waiting !== undefined && hasShell(waiting)) return waiting;
    await pause();
  }
}

function hasShell(group: number): boolean {
  const lines = execFileSync("ps", ["-eo", "pgid=,args="], { encoding: "utf8" }).split("\n");
  return lines.some((line) => new RegExp(`^\\s*${group} \\S*bash -c `).test(line));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 10));

async function gone(pid: number): Promise<void> {
  while (signalGroup(pid, 0)) await pause();
}

describe.skipIf(reason !== undefined)("[30:4.4] a sandbox that was made before its command", () => {
  it("runs one command, with the state, the output and the code of any other, and then another one does", async () => {
    await run("export A='one two'; f() { echo f:$1; }; mkdir sub; cd sub");
    const first = await spare();
    const count = started.length;
    const ran = await run('pwd; echo "$A"; f 7; cat; echo "[$SECONDS]" >&2; exit 7');
    expect(ran).toMatchObject({ output: `${at("work/sub")}\none two\nf:7\n[0]\n`, exitCode: 7, ended: "exited" });
    // Nothing was started for it; it ran in what waited.
    expect(started.length).toBe(count);
    expect(isRunning(first)).toBe(false);
    expect(await spare()).not.toBe(first);
  });

  it("gets every byte of the command", async () => {
    await spare();
    const odd = "a\u0001b\u007fc\\d\u00e9\u{1f600}\r\n\t  'x' \n\n";
    const ran = await run(`printf %s "$(cat <<'E' | od -An -tx1 | tr -d ' \\n'\n${odd}E\n)"`);
    expect(ran.output).toBe(Buffer.from(odd).toString("hex"));
    await spare();
    const long = "x".repeat(3_900);
    expect((await run(`echo ${long}`)).output).toBe(`${long}\n`);
    await spare();
    const longer = "y".repeat(200_000);
    expect((await run(`printf %s ${longer} | wc -c`)).output.trim()).toBe("200000");
  });

  it("ends at the time limit and when it is interrupted, with all that it started", async () => {
    const first = await spare();
    expect(await run("sleep 60 & sleep 60", { timeoutMs: 300 })).toMatchObject({ exitCode: 124, ended: "timed-out" });
    await gone(first);
    const second = await spare();
    const stop = new AbortController();
    const running = run("echo on; sleep 60", { signal: stop.signal, onOutput: () => stop.abort() });
    expect(await running).toMatchObject({ exitCode: 130, ended: "interrupted" });
    await gone(second);
    expect((await run("echo again")).output).toBe("again\n");
  });

  it("hides what it hides, also what was not there when it was made", async () => {
    await spare();
    await writeFile(at("work/.env"), "SECRET\n");
    await writeFile(at("home/.git-credentials"), "SECRET\n");
    const ran = await run("cat .env ~/.git-credentials ~/.ssh/id_rsa ~/.netrc");
    expect(ran.output).not.toContain("SECRET");
  });

  it.each([
    ["another file", () => rename(at("home/new"), at("home/.netrc"))],
    [
      "the same file under a new name",
      async () => {
        linkSync(at("home/.netrc"), at("home/held"));
        await rm(at("home/.netrc"));
        await rename(at("home/held"), at("home/.netrc"));
      },
    ],
  ])("hides a secret in whose place came %s", async (_, replace) => {
    await writeFile(at("home/new"), "SECRET\n");
    await spare();
    await replace();
    expect(await readFile(at("home/.netrc"), "utf8")).toBe("SECRET\n");
    expect((await run("cat ~/.netrc; cat ~/held")).output).not.toContain("SECRET");
  });

  it("hides a folder that came in the place of another", async () => {
    await spare();
    await rename(at("home/.ssh"), at("home/old"));
    await mkdir(at("home/.ssh"));
    await writeFile(at("home/.ssh/id_rsa"), "SECRET\n");
    expect((await run("cat ~/.ssh/id_rsa")).output).not.toContain("SECRET");
  });

  it("works in the folder that is there, not in one that was", async () => {
    await spare();
    await rename(at("work"), at("before"));
    await mkdir(at("work"));
    await run("echo new > file");
    expect(await readFile(at("work/file"), "utf8")).toBe("new\n");
  });

  it("obeys a rule that was made since, and a secret that was shown since", async () => {
    await mkdir(at("other"));
    await writeFile(at("work/.env"), "SHOWN\n");
    await spare();
    await wall.follow({ writable: [at("other")], masked: [at("home/.netrc")], allowedHosts: [], deniedHosts: [] });
    wall.reveal(at("work/.env"));
    expect((await run(`echo x > ${at("other/f")} && cat ${at("other/f")} .env`)).output).toBe("x\nSHOWN\n");
    await spare();
    await wall.follow({ writable: [], masked: [], allowedHosts: [], deniedHosts: [] });
    expect((await run(`echo y > ${at("other/f")} || echo refused`)).output).toContain("refused");
  });

  it("leaves programs outside the wall, in the background and with an input of their own alone", async () => {
    await spare();
    expect((await run("cat", { stdin: "given" })).output).toBe("given");
    expect((await run("cat ~/.netrc", { isUnconfined: true })).output).toBe("SECRET\n");
    const child = await terminal.spawn("echo in; cat ~/.netrc", { pty: false, signal });
    let output = "";
    child.onData((text) => {
      output += text;
    });
    await child.exit;
    expect(output).toMatch(/^in\n/);
    expect(output).not.toContain("SECRET");
  });

  it("ends with its terminal", async () => {
    const waiting = await spare();
    expect(signalGroup(waiting, 0)).toBe(true);
    await terminal[Symbol.asyncDispose]();
    await gone(waiting);
  });

  it("ends when nobody wants it", async () => {
    await terminal[Symbol.asyncDispose]();
    const env = { PATH: process.env["PATH"], HOME: at("home"), TMPDIR: at("tmp"), LANG: "C.UTF-8" };
    await openWith({ delayMs: 0, idleMs: 500 }, env);
    await run("true");
    while (!started.some(isRunning)) await pause();
    await Promise.all(started.map(gone));
    expect((await run("echo still here")).output).toBe("still here\n");
  });

  it("ends by itself when the program that made it is killed", async () => {
    const here = (file: string): string => JSON.stringify(path.join(process.cwd(), "src/tools", file));
    const program = `
import { openLocalTerminal } from ${here("terminals/local/local-terminal.ts")};
import { silentLogger } from "#foundation/files/logger";
const signal = new AbortController().signal;
const flags = ["--unshare-user", "--unshare-pid", "--die-with-parent", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--"];
const wall = {
  isInForce: true, isMissing: false, environment: {}, takeReached: () => undefined, begin() {}, settle: async () => [],
  confine: ({ program, args }) => ({ program: "bwrap", args: [...flags, program, ...args] }),
};
const started = [];
const terminal = await openLocalTerminal({
  taskId: "t", cwd: ${JSON.stringify(at("work"))}, env: { ...process.env, TMPDIR: ${JSON.stringify(at("tmp"))} }, logger: silentLogger,
  environment: { policy: "inherit" }, wall, spareTimes: { delayMs: 0, idleMs: 600000 }, watch: (pid) => { started.push(pid); return { [Symbol.dispose]() {} }; },
}, signal);
await terminal.exec("true", { timeoutMs: 60000, signal });
const isRunning = (pid) => { try { return process.kill(pid, 0); } catch { return false; } };
setInterval(() => { const waiting = started.find(isRunning); if (waiting) console.log(waiting); }, 20);
`;
    const flags = ["--import", "tsx", "--conditions=hermes-source", "--input-type=module"];
    const parent = spawn(process.execPath, [...flags, "-e", program], { stdio: ["ignore", "pipe", "inherit"] });
    const told = new Promise<Buffer>((resolve) => parent.stdout.once("data", resolve));
    const waiting = Number((await told).toString().split("\n")[0]);
    expect(signalGroup(waiting, 0)).toBe(true);
    parent.kill("SIGKILL");
    await gone(waiting);
  });
});

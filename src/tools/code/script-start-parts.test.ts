import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "#foundation/files/logger";
import { signalGroup } from "#foundation/process/run";
import { findEnforcer } from "../confinement/enforcer.ts";
import { Wall } from "../confinement/wall.ts";
import { KnownRegistries } from "../network/registries.ts";
import { testScope } from "../testing.ts";
import { functionsFor } from "./functions.ts";
import { runScript, type ScriptRequest } from "./run-script.ts";
import { defaultScriptOptions } from "./script-options.ts";
import { ScriptStarts } from "./script-starts.ts";

const signal = new AbortController().signal;
const reason = missingReason();
if (reason !== undefined) process.stderr.write(`sandboxes made ahead for scripts are not tested: ${reason}\n`);

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
let starts: ScriptStarts;
/** Process groups in the order in which they were started. */
let started: number[];
const at = (...names: readonly string[]): string => path.join(root, ...names);
const env = (): NodeJS.ProcessEnv => ({ PATH: process.env["PATH"], HOME: at("home"), TMPDIR: at("tmp") });

beforeEach(async () => {
  if (reason !== undefined) return;
  root = await realpath(await mkdtemp(path.join(os.tmpdir(), "hermes-script-")));
  for (const folder of ["home/.ssh", "hermes", "work", "tmp"]) await mkdir(at(folder), { recursive: true });
  await writeFile(at("home/.ssh/id_rsa"), "SECRET\n");
  wall = await Wall.open(
    {
      enforcer: await findEnforcer({ mode: "on", env: env() }, signal),
      env: env(),
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
      registries: new KnownRegistries(env()),
      remember: () => Promise.resolve(),
      logger: silentLogger,
    },
    testScope({ cwd: at("work") }),
    signal,
  );
  startsWith(60_000);
});

afterEach(async () => {
  if (reason !== undefined) return;
  await starts[Symbol.asyncDispose]();
  await wall[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

function startsWith(idleMs: number): void {
  started = [];
  starts = new ScriptStarts({
    spareTimes: { delayMs: 0, idleMs },
    watch: (pid) => {
      started.push(pid);
      return { [Symbol.dispose]: () => undefined };
    },
  });
}

async function run(code: string, changes: Partial<ScriptRequest> = {}) {
  const { result } = await runScript({
    code,
    language: "python",
    functions: functionsFor(new Set(["read_file"])),
    cwd: at("work"),
    tempDir: at("tmp"),
    options: defaultScriptOptions,
    env: env(),
    passthrough: [],
    extraEnv: {},
    call: (_, args) => Promise.resolve(JSON.stringify({ path: args["path"] })),
    redact: (text) => text,
    start: starts.of("s"),
    wall,
    signal,
    ...changes,
  });
  return result;
}

const kept = async (): Promise<readonly string[]> =>
  (await readdir(at("tmp", `hermes-${process.getuid?.()}`))).filter((name) => name.startsWith("code-"));

/** The group of a sandbox that waits for a script now, complete: its shell runs in it. */
async function spare(changes: Partial<ScriptRequest> = {}): Promise<number> {
  await run("", changes);
  for (;;) {
    const waiting = started.find(isRunning);
    if (waiting !== undefined && hasShell(waiting)) return waiting;
    await pause();
  }
}

function hasShell(group: number): boolean {
  const lines = execFileSync("ps", ["-eo", "pgid=,args="], { encoding: "utf8" }).split("\n");
  return lines.some((line) => new RegExp(`^\\s*${group} /bin/sh -c `).test(line));
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

const readFrom = (file: string): string =>
  `try: print(open(${JSON.stringify(file)}).read())\nexcept OSError: print("hidden")`;

describe.skipIf(reason !== undefined)("[30:4.4] a sandbox that was made before its script", () => {
  it("runs one script with its tools, and the next script gets another", async () => {
    const first = await spare();
    const known = [...started];
    let during: readonly number[] = [];
    const call = () => {
      during = [...started];
      return Promise.resolve('{"path": "x"}');
    };
    const code = `import os, sys
from hermes_tools import read_file
print(read_file("x")["path"], os.getcwd(), sys.stdin.read() == "", sys.argv[1:])
sys.exit("told")`;
    const ran = await run(code, { call });
    expect(ran).toMatchObject({ status: "error", tool_calls_made: 1, error: "told" });
    expect(ran.output).toContain(`x ${at("work")} True []\n`);
    // Nothing was started for it; it ran in what waited.
    expect(during).toEqual(known);
    await gone(first);
    expect(await spare()).not.toBe(first);
  });

  it.each(["project", "strict"] as const)("keeps nothing of a script for the next, mode %s", async (mode) => {
    const options = { ...defaultScriptOptions, mode };
    await spare({ options });
    const folder = "import os, sys; own = os.path.dirname(os.path.abspath(sys.argv[0]))";
    const planted = await run(`${folder}\nopen(own + "/json.py", "w").write("print('PLANTED')")\nprint(own)`, {
      options,
    });
    expect(planted.status).toBe("success");
    await spare({ options });
    const ran = await run(`${folder}\nimport json\nprint(own, sorted(os.listdir(own)))`, { options });
    expect(ran.output).not.toContain("PLANTED");
    expect(ran.output).toContain("['hermes_tools.py', 'rpc', 'script.py']");
    expect(ran.output).not.toContain(planted.output.trim());
  });

  it("takes no folder that is kept for a script within the reach of another", async () => {
    await spare();
    const [waiting] = await kept();
    const other = await run(`import os\nprint(os.listdir("${at("tmp", `hermes-${process.getuid?.()}`)}"))`, {
      start: starts.of("other"),
    });
    expect(other.output).not.toContain(waiting);
  });

  it("hides what it hides, also what was not there when it was made, and what came in another's place", async () => {
    await spare();
    await writeFile(at("work/.env"), "SECRET\n");
    expect((await run(readFrom(at("work/.env")))).output).not.toContain("SECRET");
    await spare();
    await rename(at("home/.ssh"), at("home/old"));
    await mkdir(at("home/.ssh"));
    await writeFile(at("home/.ssh/id_rsa"), "SECRET\n");
    expect((await run(readFrom(at("home/.ssh/id_rsa")))).output).toBe("hidden\n");
  });

  it("works in the folder that is there, obeys a rule that was made since, and sees what was shown since", async () => {
    await mkdir(at("other"));
    await spare();
    await rename(at("work"), at("before"));
    await mkdir(at("work"));
    await run("open('file', 'w').write('new')");
    expect(await readFile(at("work/file"), "utf8")).toBe("new");
    await spare();
    const write = `open(${JSON.stringify(at("other/f"))}, "w").write("x")`;
    expect((await run(write)).status).toBe("error");
    await spare();
    await wall.follow({ writable: [at("other")], masked: [], allowedHosts: [], deniedHosts: [] });
    expect((await run(write)).status).toBe("success");
    await spare();
    expect((await run("import os; print(os.environ['ADDED'])", { extraEnv: { ADDED: "1" } })).output).toBe("1\n");
  });

  it("runs two scripts at once and one in another language", async () => {
    await spare();
    const [one, two, three] = await Promise.all([
      run("print(1)"),
      run("print(2)"),
      run("console.log(3)", { language: "javascript" }),
    ]);
    expect([one.output, two.output, three.output]).toEqual(["1\n", "2\n", "3\n"]);
  });

  it("ends at the time limit and when it is interrupted, with all that it started", async () => {
    const first = await spare();
    const endless =
      "import subprocess, time\nsubprocess.Popen(['sleep', '60'])\nprint('on', flush=True)\ntime.sleep(60)";
    expect(await run(endless, { options: { ...defaultScriptOptions, timeoutMs: 400 } })).toMatchObject({
      status: "timeout",
    });
    await gone(first);
    const second = await spare();
    const stop = new AbortController();
    const call = () => {
      stop.abort();
      return Promise.resolve("{}");
    };
    const asking = "from hermes_tools import read_file\nread_file('x')\nimport time; time.sleep(60)";
    expect(await run(asking, { signal: stop.signal, call })).toMatchObject({ status: "interrupted" });
    await gone(second);
    expect((await run("print('again')")).output).toBe("again\n");
  });

  it("ends with its session, and its folder with it", async () => {
    const waiting = await spare();
    expect(await kept()).toHaveLength(1);
    await starts.endSession("s");
    await gone(waiting);
    expect(await kept()).toEqual([]);
  });

  it("ends when nobody wants it; the next script starts all the same", async () => {
    startsWith(300);
    await run("");
    while (!started.some(isRunning)) await pause();
    await Promise.all(started.map(gone));
    expect((await run("print('still here')")).output).toBe("still here\n");
  });
});

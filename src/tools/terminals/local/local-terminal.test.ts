import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryLogger } from "#foundation/testing/memory-logger";
import type { ExecOptions, Terminal } from "../../contract/terminal.ts";
import { processStartedAtMs } from "../process-start-time.ts";
import { TerminalGone } from "../terminal-gone.ts";
import { type LocalTerminalOptions, openLocalTerminal } from "./local-terminal.ts";

let folder: string;
let home: string;
/** Where terminals keep their own files. */
let kept: string;
let terminals: Terminal[];

beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "hermes-local-")));
  home = path.join(folder, "home");
  kept = path.join(folder, `hermes-${process.getuid?.()}`);
  await mkdir(home);
  terminals = [];
});

afterEach(async () => {
  await Promise.all(terminals.map((terminal) => terminal[Symbol.asyncDispose]()));
  await rm(folder, { recursive: true, force: true });
});

async function open(changes: Partial<LocalTerminalOptions> = {}): Promise<Terminal> {
  const terminal = await openLocalTerminal(
    {
      taskId: "task",
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: home, TMPDIR: folder, LANG: "C.UTF-8" },
      environment: { policy: "inherit" },
      logger: memoryLogger(),
      ...changes,
    },
    new AbortController().signal,
  );
  terminals.push(terminal);
  return terminal;
}

const exec = (terminal: Terminal, command: string, options: Partial<ExecOptions> = {}) =>
  terminal.exec(command, { timeoutMs: 10_000, signal: new AbortController().signal, ...options });

describe("a local terminal", () => {
  it("[30:4.10-1] [30:ENV-11] gives exactly what the command printed", async () => {
    const result = await exec(await open(), "printf exact");
    expect(result).toMatchObject({ output: "exact", exitCode: 0, ended: "exited", omittedBytes: 0 });
  });

  it("[30:ENV-10] begins every command anew where that is wanted, with the person's own functions", async () => {
    await writeFile(path.join(home, "own.sh"), "own() { echo own; }\n");
    const terminal = await open({ keepsState: false, shellInitFiles: [path.join(home, "own.sh")] });
    await exec(terminal, "mkdir sub && cd sub; export A=1; f() { echo f; }");
    expect(terminal.cwd).toBe(folder);
    const next = await exec(terminal, 'pwd; echo "[$A]"; own; f 2>/dev/null || echo gone');
    expect(next.output).toBe(`${folder}\n[]\nown\ngone\n`);
  });

  it("[30:ENV-10] keeps directory, variables, functions and aliases from one command to the next", async () => {
    const terminal = await open();
    await exec(
      terminal,
      "mkdir sub && cd sub; export A='one two\nthree'; f() { echo f:$1; }; alias g='echo g'; local_only=1",
    );
    expect(terminal.cwd).toBe(path.join(folder, "sub"));
    const next = await exec(terminal, 'pwd; echo "$A"; f 7; g; echo "[$local_only]"');
    expect(next.output).toBe(`${folder}/sub\none two\nthree\nf:7\ng\n[]\n`);
    await exec(terminal, "unset A; unset -f f; unalias g");
    expect((await exec(terminal, "echo [$A]; f; g")).output).toMatch(
      /^\[\]\n.*f: command not found\n.*g: command not found/s,
    );
  });

  it("[30:ENV-12] learns the directory when the command leaves by exit, set -e or exec", async () => {
    const terminal = await open();
    await mkdir(path.join(folder, "a"));
    expect((await exec(terminal, "cd a; exit 7")).exitCode).toBe(7);
    expect(terminal.cwd).toBe(path.join(folder, "a"));
    expect((await exec(terminal, "set -e; cd ..; false; echo never")).exitCode).toBe(1);
    expect(terminal.cwd).toBe(folder);
    expect((await exec(terminal, "cd a; exec printf gone")).output).toBe("gone");
    expect(terminal.cwd).toBe(path.join(folder, "a"));
    expect((await exec(terminal, "trap 'echo bye' EXIT; cd ..")).output).toBe("bye\n");
    expect(terminal.cwd).toBe(folder);
    expect((await exec(terminal, "echo $-")).output).not.toMatch(/[eu]/);
  });

  it("[30:ENV-12] cannot be told lies about its state through output", async () => {
    const terminal = await open();
    await exec(terminal, "printf '/etc\\0\\0\\0\\0hermes-end'; printf '__HERMES_CWD_x__/etc__HERMES_CWD_x__'");
    expect(terminal.cwd).toBe(folder);
  });

  it("[30:ENV-12] merges variables of overlapping commands one by one", async () => {
    const terminal = await open();
    const gate = path.join(folder, "gate");
    const wait = `until [ -e ${gate} ]; do sleep 0.02; done`;
    const slow = exec(terminal, `export SLOW=1; ${wait}`);
    await exec(terminal, "export FAST=1");
    await writeFile(gate, "");
    await slow;
    expect((await exec(terminal, "echo $SLOW$FAST")).output).toBe("11\n");
  });

  it("[30:ENV-12] keeps its files to this user and never remembers a credential", async () => {
    const terminal = await open();
    await exec(terminal, "export OPENAI_API_KEY=sk-secret B=2; f() { :; }");
    expect((await exec(terminal, "echo [$OPENAI_API_KEY]$B")).output).toBe("[]2\n");
    const [own] = (await readdir(kept)).filter((name) => name.startsWith("terminal-"));
    const stateDir = path.join(kept, own ?? "");
    expect((await stat(stateDir)).mode & 0o777).toBe(0o700);
    expect((await stat(path.join(stateDir, "functions.sh"))).mode & 0o777).toBe(0o600);
  });

  it("[30:4.10-2] answers 126 when the directory cannot be entered, and expands ~", async () => {
    const terminal = await open();
    const lost = await exec(terminal, "echo ran", { cwd: "/does/not/exist" });
    expect(lost).toMatchObject({ exitCode: 126, ended: "cwd-unreachable" });
    expect(lost.output).not.toContain("ran\n");
    expect((await exec(terminal, "exit 126")).ended).toBe("exited");
    expect((await exec(terminal, "pwd", { cwd: "~" })).output).toBe(`${home}\n`);
    expect(terminal.cwd).toBe(folder);
  });

  it("[30:4.10-3] [30:ENV-13] does not wait for a grandchild that holds the output", async () => {
    const terminal = await open();
    const result = await exec(terminal, "sleep 60 & disown; echo $!; echo ok");
    expect(result.output).toMatch(/^\d+\nok\n$/);
    expect(result.durationMs).toBeLessThan(2_000);
    const pid = Number(result.output.split("\n")[0]);
    expect(await isRunning(pid)).toBe(true);
    await terminal[Symbol.asyncDispose]();
    expect(await isRunning(pid)).toBe(false);
  });

  it("[30:4.10-4] decodes a character that arrives in two pieces", async () => {
    const pieces: string[] = [];
    const result = await exec(await open(), "printf '\\303'; sleep 0.1; printf '\\251'", {
      onOutput: (text) => pieces.push(text),
    });
    expect(result.output).toBe("é");
    expect(pieces.join("")).toBe("é");
  });

  it("[30:ENV-13] merges both streams in order, closes stdin, and takes long input without a deadlock", async () => {
    const terminal = await open();
    expect((await exec(terminal, "echo 1; echo 2 >&2; echo 3; cat")).output).toBe("1\n2\n3\n");
    const input = "x".repeat(3_000_000);
    expect((await exec(terminal, "wc -c", { stdin: input })).output.trim()).toBe("3000000");
  });

  it("[30:ENV-14] ends the whole group at the time limit and keeps the output so far", async () => {
    const terminal = await open();
    const result = await exec(terminal, "trap '' TERM; echo begun; (sleep 61; echo) & echo $!; sleep 61", {
      timeoutMs: 400,
    });
    expect(result).toMatchObject({ exitCode: 124, ended: "timed-out" });
    expect(result.output).toMatch(/^begun\n\d+\n/);
    expect(await isRunning(Number(result.output.split("\n")[1]))).toBe(false);
  });

  it("[30:ENV-14] answers 130 when interrupted", async () => {
    const stop = new AbortController();
    const result = await exec(await open(), "echo go; sleep 60", {
      signal: stop.signal,
      onOutput: () => stop.abort(),
    });
    expect(result).toMatchObject({ output: "go\n", exitCode: 130, ended: "interrupted" });
  });

  it("[30:ENV-14] keeps 1 MiB of the beginning and 4 MiB of the end", async () => {
    const result = await exec(await open(), "echo first; head -c 8000000 /dev/zero | tr '\\0' 'x'; echo last");
    expect(result.output.startsWith("first\n")).toBe(true);
    expect(result.output.endsWith("last\n")).toBe(true);
    expect(result.omittedBytes).toBe(8_000_011 - 5 * 1_048_576);
  });

  it("[30:4.4] sources the start files of the user once, and survives broken ones", async () => {
    await writeFile(path.join(home, ".bashrc"), "export FROM_RC=1\nhello() { echo hi; }\nset -e\nfalse\n");
    await writeFile(path.join(folder, "extra.sh"), "export EXTRA=2\n");
    expect((await exec(await open(), "hello; echo $FROM_RC")).output).toBe("hi\n1\n");
    const chosen = await open({ shellInitFiles: [path.join(folder, "extra.sh")] });
    expect((await exec(chosen, "echo [$FROM_RC$EXTRA]")).output).toBe("[2]\n");
    expect((await exec(await open({ autoSourceBashrc: false }), "echo [$FROM_RC]")).output).toBe("[]\n");
  });

  it("runs a command longer than the system takes as an argument", async () => {
    const result = await exec(await open(), `: ${"y".repeat(300_000)}\necho done`);
    expect(result.output).toBe("done\n");
  });

  it("[30:ENV-25] reports its own loss before anything ran", async () => {
    const terminal = await open();
    await exec(terminal, `rm -rf ${kept}/terminal-*`);
    await expect(exec(terminal, "echo ran")).rejects.toBeInstanceOf(TerminalGone);
  });

  it("removes what a program left that was killed, and nothing of the living", async () => {
    const gone = path.join(kept, "terminal-999999999-abcdef");
    const network = path.join(kept, "net-999999999-abcdef");
    const living = path.join(kept, `terminal-${process.ppid}-abcdef`);
    await mkdir(kept, { mode: 0o700 });
    await Promise.all([mkdir(gone), mkdir(network), mkdir(living)]);
    await open();
    const names = await readdir(kept);
    expect(names).not.toContain(path.basename(gone));
    expect(names).not.toContain(path.basename(network));
    expect(names).toContain(path.basename(living));
  });

  it("leaves nothing behind when it is closed", async () => {
    const terminal = await open();
    const child = await terminal.spawn("sleep 60", { pty: false, signal: new AbortController().signal });
    await terminal[Symbol.asyncDispose]();
    expect(await child.exit).toBe(-15);
    expect(await readdir(kept)).toEqual([]);
    expect((await readdir(folder)).sort()).toEqual([path.basename(kept), "home"]);
  });
});

describe("a background process of a local terminal", () => {
  it("starts in the directory and with the variables of the session, and takes input", async () => {
    const terminal = await open();
    await exec(terminal, "export A=1; mkdir d; cd d");
    const child = await terminal.spawn('pwd; echo $A; read line; echo "got $line"', {
      pty: false,
      signal: new AbortController().signal,
    });
    let text = "";
    child.onData((more) => {
      text += more;
    });
    await child.write("input\n");
    expect(await child.exit).toBe(0);
    expect(text).toBe(`${folder}/d\n1\ngot input\n`);
  });

  it("[30:4.8] has a real terminal of 30 rows and 120 columns when asked", async () => {
    const terminal = await open();
    const child = await terminal.spawn("tty >/dev/null && stty size; read line; echo got $line", {
      pty: true,
      signal: new AbortController().signal,
    });
    let text = "";
    child.onData((more) => {
      text += more;
    });
    await child.write("abc\n");
    expect(await child.exit).toBe(0);
    expect(text).toContain("30 120");
    expect(text).toContain("got abc");
  });

  it("runs outside the wall exactly what was said: nothing the session's shell set has a part in it", async () => {
    const terminal = await open({ env: { PATH: `${folder}/bin:${process.env["PATH"]}`, HOME: home, TMPDIR: folder } });
    await mkdir(path.join(folder, "bin"));
    await writeFile(path.join(folder, "bin/true"), "#!/bin/sh\necho planted\n", { mode: 0o755 });
    await exec(
      terminal,
      "ls() { echo planted; }; export -f ls; alias id='echo planted'; export BASH_ENV=$PWD/bin/true SET=1",
    );
    const command = 'ls; id >/dev/null; true; echo "[$SET][$BASH_ENV]"';
    expect((await exec(terminal, command)).output).toContain("planted");
    const outside = await exec(terminal, command, { isUnconfined: true });
    expect(outside.output).not.toContain("planted");
    expect(outside.output).toContain("[][]");
    const child = await terminal.spawn(command, {
      isUnconfined: true,
      pty: false,
      signal: new AbortController().signal,
    });
    let text = "";
    child.onData((more) => {
      text += more;
    });
    await child.exit;
    expect(text).not.toContain("planted");
    // Nor does it leave anything behind for what runs inside.
    await exec(terminal, "export SET=2; cd /", { isUnconfined: true });
    await exec(terminal, "unset BASH_ENV");
    expect((await exec(terminal, 'echo "$SET$PWD"')).output).toBe(`1${folder}\n`);
  });

  it("writes its own files through no link that a command put in their place", async () => {
    const terminal = await open();
    const outside = path.join(home, ".bashrc");
    await writeFile(outside, "# mine\n");
    await exec(terminal, `ln -sf ${outside} "$__hermes_functions"; planted() { echo planted; }`);
    expect((await exec(terminal, "planted")).output).toBe("planted\n");
    expect(await readFile(outside, "utf8")).toBe("# mine\n");
  });

  it("hands variables of the loader to what is held, never to what holds it", async () => {
    const starts: (readonly string[])[] = [];
    const wall: LocalTerminalOptions["wall"] = {
      isInForce: false,
      isMissing: false,
      environment: {},
      confine: ({ program, args }) => {
        starts.push([program, ...args]);
        const seen = 'echo "held by [$LD_LIBRARY_PATH]"; exec "$@"';
        return { program: "/bin/sh", args: ["-c", seen, "holder", program, ...args] };
      },
      takeReached: () => undefined,
      begin: () => undefined,
      settle: async () => [],
    };
    const terminal = await open({ wall });
    await exec(terminal, "export LD_LIBRARY_PATH=/planted OWN=1");
    const next = await exec(terminal, 'echo "inside [$LD_LIBRARY_PATH][$OWN]"');
    expect(next.output).toBe("held by []\ninside [/planted][1]\n");
  });
});

/** Not merely a number that its parent has not taken back. */
async function isRunning(pid: number): Promise<boolean> {
  return (await processStartedAtMs(pid, new AbortController().signal)) !== undefined;
}

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { systemErrorCode, UserError } from "../errors.ts";
import { never } from "../lifecycle/abort.ts";
import { killGroup, runProcess, spawnProcess } from "./run.ts";

const sh = (script: string, options: Partial<Parameters<typeof runProcess>[2]> = {}) =>
  runProcess("sh", ["-c", script], { signal: never, ...options });

/** Whether a process runs; one that is dead but not yet reaped does not. */
function isAlive(pid: number): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/^[ZX]/.test(text.slice(text.lastIndexOf(")") + 2));
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT" || systemErrorCode(error) === "ESRCH") return false;
    throw error;
  }
}

describe("running to the end", () => {
  test("gives both outputs, the exit code and the time", async () => {
    const result = await sh("echo out; echo err >&2; exit 3");
    expect(result).toMatchObject({
      exitCode: 3,
      signal: null,
      stdout: "out\n",
      stderr: "err\n",
      timedOut: false,
      aborted: false,
      truncated: false,
    });
    expect(result.durationMs).toBeGreaterThan(0);
  });

  test("input is given, folder and environment are those asked for", async () => {
    const result = await sh('cat; pwd; echo "$A-$HOME"', {
      input: "grün\n",
      cwd: "/",
      env: { A: "1", PATH: process.env.PATH },
    });
    expect(result.stdout).toBe("grün\n/\n1-\n");
  });

  test("a child that does not read its input is no error", async () => {
    const result = await sh("exit 0", { input: "x".repeat(5_000_000) });
    expect(result.exitCode).toBe(0);
  });

  test("too much output keeps its beginning and its end, and the child is not stopped", async () => {
    const result = await sh("echo first; i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; echo last", {
      maxOutputBytes: 1_000,
    });
    expect(result).toMatchObject({ exitCode: 0, truncated: true });
    expect(result.stdout).toMatch(/^first\nline 0\n[\s\S]*bytes left out[\s\S]*line 19999\nlast\n$/);
    expect(result.stdout.length).toBeLessThan(1_100);
  });

  test("a large output that fits is complete", async () => {
    const result = await runProcess(process.execPath, ["-e", 'process.stdout.write("x".repeat(900_000))'], {
      signal: never,
    });
    expect(result.stdout).toHaveLength(900_000);
  });

  test("a child ended by a signal says which", async () => {
    expect(await sh("kill -9 $$")).toMatchObject({ exitCode: null, signal: "SIGKILL" });
  });
});

describe("a program that cannot be started", () => {
  test.each([["/definitely/not/here"], ["hermes-no-such-program"]])("%s is explained", async (command) => {
    const error = await runProcess(command, [], { signal: never }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ code: "process_not_started", data: { code: "ENOENT" } });
  });

  test("a missing folder and an impossible argument are explained too", async () => {
    await expect(sh("true", { cwd: "/not/here" })).rejects.toBeInstanceOf(UserError);
    await expect(runProcess("echo", ["a\0b"], { signal: never })).rejects.toBeInstanceOf(UserError);
  });
});

describe("ending early", () => {
  test("a timeout keeps what was written until then", async () => {
    const result = await sh("echo before; sleep 30; echo after", { timeoutMs: 500 });
    expect(result).toMatchObject({ timedOut: true, aborted: false, stdout: "before\n", signal: "SIGTERM" });
  });

  test("an abort ends the child and is told apart from a timeout", async () => {
    const controller = new AbortController();
    const child = await spawnProcess("sh", ["-c", "echo up; sleep 30"], { signal: controller.signal });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    controller.abort();
    expect(await child.exited).toMatchObject({ signal: "SIGTERM" });
    expect(isAlive(child.pid)).toBe(false);
  });

  test("an abort before the start starts nothing", async () => {
    const result = await sh("echo x", { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ aborted: true, timedOut: false, stdout: "", exitCode: null });
  });

  test("a child that ignores SIGTERM is ended by SIGKILL after the grace", async () => {
    const controller = new AbortController();
    const script = "trap '' TERM; echo up; while :; do sleep 0.05; done";
    const child = await spawnProcess("sh", ["-c", script], { signal: controller.signal, graceMs: 150 });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    const startedMs = performance.now();
    controller.abort();
    expect(await child.exited).toEqual({ exitCode: null, signal: "SIGKILL" });
    expect(performance.now() - startedMs).toBeGreaterThan(140);
    expect(isAlive(child.pid)).toBe(false);
  });

  test("the grandchildren go with it", async () => {
    const controller = new AbortController();
    const child = await spawnProcess("sh", ["-c", "sleep 60 & echo $!; wait"], { signal: controller.signal });
    const grandchild = Number(await new Promise((resolve) => child.stdout.once("data", resolve)));
    expect(isAlive(grandchild)).toBe(true);
    controller.abort();
    await child.exited;
    expect(isAlive(grandchild)).toBe(false);
  });

  test("disposing a handle ends the group and waits for it", async () => {
    let pid = 0;
    {
      await using child = await spawnProcess("sleep", ["60"], { signal: never });
      pid = child.pid;
    }
    expect(isAlive(pid)).toBe(false);
  });
});

describe("a grandchild that keeps the output open", () => {
  test("does not delay the result, and is ended", async () => {
    const result = await sh("sleep 600 & echo $!");
    expect(result.exitCode).toBe(0);
    expect(isAlive(Number(result.stdout))).toBe(false);
  });

  test("may stay when asked to", async () => {
    const result = await sh("sleep 60 & echo $!", { keepDescendants: true });
    const pid = Number(result.stdout);
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, "SIGKILL");
  });

  test("cannot keep the result waiting by writing on", async () => {
    const result = await sh("(while :; do echo x; sleep 0.02; done) & echo done");
    expect(result.exitCode).toBe(0);
  });
});

test("a spawned program can be talked to", async () => {
  await using child = await spawnProcess("cat", [], { signal: never, stdin: "pipe" });
  child.stdin?.write("hello\n");
  const answer = await new Promise((resolve) => child.stdout.once("data", resolve));
  expect(String(answer)).toBe("hello\n");
  child.stdin?.end();
  expect(await child.exited).toEqual({ exitCode: 0, signal: null });
});

test.skipIf(process.platform !== "linux")("the dead that nobody reaps do not use up the grace", async () => {
  // The shell becomes a program that never asks after its child, which leads a group of its own.
  await using parent = await spawnProcess("sh", ["-c", "setsid sh -c 'echo $$; exec sleep 60' & exec sleep 60"], {
    signal: never,
  });
  const pid = Number(await new Promise((resolve) => parent.stdout.once("data", resolve)));
  // Far longer than the test may take.
  await killGroup(pid, { graceMs: 600_000 });
  expect(isAlive(pid)).toBe(false);
});

test("ending a group that is gone is no error, and one that must not be ended is refused", async () => {
  const child = await spawnProcess("true", [], { signal: never });
  await child.exited;
  await killGroup(child.pid);
  for (const pid of [0, 1, -5, 1.5, Number.NaN]) await expect(killGroup(pid)).rejects.toThrow(RangeError);
});

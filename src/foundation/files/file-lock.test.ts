import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UserError } from "../errors.ts";
import { never } from "../lifecycle/abort.ts";
import { Deferred } from "../lifecycle/deferred.ts";
import { runProcess, spawnProcess } from "../process/run.ts";
import { withFileLock } from "./file-lock.ts";

let folder: string;
let lock: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-lock-"));
  lock = join(folder, "x.lock");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const moduleUrl = pathToFileURL(new URL("./file-lock.ts", import.meta.url).pathname).href;

/** Runs code in another Node process that has `withFileLock`, `lock` and `signal` at hand. */
function childArguments(code: string): string[] {
  const program = `
    import { withFileLock } from ${JSON.stringify(moduleUrl)};
    import fs from "node:fs";
    const lock = ${JSON.stringify(lock)};
    const signal = new AbortController().signal;
    ${code}`;
  const path = join(folder, "child.mts");
  writeFileSync(path, program);
  return ["--import", "tsx", path];
}

const deadOwner = async (): Promise<number> => {
  const child = await spawnProcess("true", [], { signal: never });
  await child.exited;
  return child.pid;
};

describe("between processes", () => {
  test("two processes never work at the same time", async () => {
    const counter = join(folder, "counter");
    writeFileSync(counter, "0");
    const args = childArguments(`
      const counter = ${JSON.stringify(counter)};
      for (let i = 0; i < 25; i += 1) {
        await withFileLock(lock, async () => {
          const value = Number(fs.readFileSync(counter, "utf8"));
          await new Promise((resolve) => setImmediate(resolve));
          fs.writeFileSync(counter, String(value + 1));
        }, { signal });
      }`);
    const children = await Promise.all([1, 2].map(() => runProcess(process.execPath, args, { signal: never })));
    expect(children.map((child) => [child.exitCode, child.stderr])).toEqual([
      [0, ""],
      [0, ""],
    ]);
    expect(readFileSync(counter, "utf8")).toBe("50");
    expect(existsSync(lock)).toBe(false);
  });

  test("the lock of a process that was killed is taken over", async () => {
    const args = childArguments(
      `await withFileLock(lock, () => { console.log("held"); return new Promise(() => setInterval(() => {}, 1000)); }, { signal });`,
    );
    const child = await spawnProcess(process.execPath, args, { signal: never });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    const refused = withFileLock(lock, async () => "in", { signal: never, timeoutMs: 50 });
    await expect(refused).rejects.toThrow(`process ${child.pid}`);
    process.kill(child.pid, "SIGKILL");
    await child.exited;
    expect(await withFileLock(lock, async () => "in", { signal: never, timeoutMs: 2_000 })).toBe("in");
  });
});

describe("who counts as gone", () => {
  const held = (owner: object, ageMs = 0): void => {
    writeFileSync(lock, JSON.stringify(owner));
    const then = new Date(Date.now() - ageMs);
    utimesSync(lock, then, then);
  };
  const take = (staleMs = 60_000): Promise<string> =>
    withFileLock(lock, async () => "in", { signal: never, timeoutMs: 60, staleMs });

  test("a process that does not exist", async () => {
    held({ pid: await deadOwner(), host: hostname(), token: "t" });
    expect(await take()).toBe("in");
  });

  test("a process whose number was given to a later one", async () => {
    held({ pid: process.pid, host: hostname(), token: "t", started: "1" });
    expect(await take()).toBe("in");
  });

  test("not a living process, however old its lock", async () => {
    held({ pid: process.ppid, host: hostname(), token: "t" }, 3_600_000);
    await expect(take()).rejects.toBeInstanceOf(UserError);
  });

  test("on another machine, only one that was silent for long", async () => {
    held({ pid: 1, host: "elsewhere", token: "t" }, 30_000);
    await expect(take(60_000)).rejects.toThrow("elsewhere");
    expect(await take(20_000)).toBe("in");
  });

  test("an owner that never wrote its name, after a moment", async () => {
    writeFileSync(lock, "");
    await expect(take()).rejects.toBeInstanceOf(UserError);
    const then = new Date(Date.now() - 10_000);
    utimesSync(lock, then, then);
    expect(await take()).toBe("in");
  });

  test("a guard left by a process that died while taking over does not block for ever", async () => {
    const dead = { pid: await deadOwner(), host: hostname(), token: "t" };
    held(dead);
    writeFileSync(`${lock}.recover`, JSON.stringify(dead));
    expect(await withFileLock(lock, async () => "in", { signal: never, timeoutMs: 2_000 })).toBe("in");
    expect(existsSync(`${lock}.recover`)).toBe(false);
  });
});

test("of many that find a dead owner's lock at once, one gets in at a time", async () => {
  const dead = { pid: await deadOwner(), host: hostname(), token: "t" };
  let inside = 0;
  for (let round = 0; round < 5; round += 1) {
    writeFileSync(lock, JSON.stringify(dead));
    const all = Array.from({ length: 12 }, () =>
      withFileLock(
        lock,
        async () => {
          inside += 1;
          expect(inside).toBe(1);
          await new Promise((resolve) => setImmediate(resolve));
          inside -= 1;
        },
        { signal: never },
      ),
    );
    await Promise.all(all);
  }
});

test("the lock is released when the work fails", async () => {
  await expect(withFileLock(lock, () => Promise.reject(new Error("x")), { signal: never })).rejects.toThrow("x");
  expect(existsSync(lock)).toBe(false);
});

test("a lock that another has taken over meanwhile is left alone", async () => {
  const other = JSON.stringify({ pid: 1, host: "elsewhere", token: "other" });
  await withFileLock(lock, async () => writeFileSync(lock, other), { signal: never });
  expect(readFileSync(lock, "utf8")).toBe(other);
});

test("waiting ends with the signal's reason", async () => {
  const release = new Deferred<void>();
  const entered = new Deferred<void>();
  const holding = withFileLock(
    lock,
    () => {
      entered.resolve();
      return release.promise;
    },
    { signal: never },
  );
  await entered.promise;
  const controller = new AbortController();
  const waiting = withFileLock(lock, async () => "in", { signal: controller.signal });
  controller.abort("stop");
  await expect(waiting).rejects.toBe("stop");
  release.resolve();
  await holding;
});

test("an owner shows signs of life while it works", async () => {
  const longAgo = new Date(0);
  await withFileLock(
    lock,
    async () => {
      utimesSync(lock, longAgo, longAgo);
      const { watch } = await import("node:fs");
      await new Promise<void>((resolve) => {
        const watcher = watch(lock, () => {
          watcher.close();
          resolve();
        });
      });
    },
    { signal: never, staleMs: 150 },
  );
});

test("the folder of a lock is made when it is missing, and one that cannot be made is explained", async () => {
  expect(await withFileLock(join(folder, "deep", "x.lock"), async () => "in", { signal: never })).toBe("in");
  writeFileSync(join(folder, "file"), "");
  await expect(
    withFileLock(join(folder, "file", "x.lock"), async () => "in", { signal: never }),
  ).rejects.toBeInstanceOf(UserError);
});

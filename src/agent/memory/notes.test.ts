import { mkdir, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { FakeClock } from "#foundation/testing/fake-clock";
import { systemClock } from "#foundation/time/clock";
import { withLockDirectory } from "./locked-files.ts";
import { memoryStage } from "./testing.ts";

describe("the notes on disk", () => {
  it("lose nothing when a hundred changes come at once [10:A2.5] [10:TOOL-10] [10:MEM-4] [30:9.1-7]", async () => {
    await using stage = await memoryStage();
    const wanted = Array.from({ length: 100 }, (_, index) => `entry ${index}`);
    const answers = await Promise.all(
      wanted.map((content) => stage.call({ action: "add", target: "memory", content })),
    );
    expect(answers.every(({ success }) => success === true)).toBe(true);
    expect(await stage.notes.read("memory")).toEqual(wanted);
    expect(await readdir(stage.folder)).toEqual(["MEMORY.md"]);
  });

  it("are not kept from writing by a lock file of an earlier program [10:MEM-4]", async () => {
    await using stage = await memoryStage();
    await mkdir(stage.folder);
    await writeFile(join(stage.folder, "MEMORY.md.lock"), "");
    expect(await stage.call({ action: "add", target: "memory", content: "x" })).toMatchObject({ success: true });
  });

  it("give up after five seconds while another process holds the lock [10:MEM-4]", async () => {
    const clock = new FakeClock(Date.now(), { autoAdvance: true });
    await using stage = await memoryStage({ clock });
    await mkdir(join(stage.folder, "MEMORY.md.lockdir"), { recursive: true });
    expect(await stage.call({ action: "add", target: "memory", content: "x" })).toEqual({
      success: false,
      error: expect.stringContaining("held by another process"),
    });
    expect(clock.slept.every((ms) => ms >= 20 && ms <= 100)).toBe(true);
    const waited = clock.slept.reduce((sum, ms) => sum + ms, 0);
    expect(waited).toBeGreaterThanOrEqual(5_000);
    expect(waited).toBeLessThan(5_200);
    expect((await stat(join(stage.folder, "MEMORY.md.lockdir"))).isDirectory()).toBe(true);
  });

  it("take over a lock that is older than ten seconds [10:MEM-4]", async () => {
    await using stage = await memoryStage();
    const lock = join(stage.folder, "MEMORY.md.lockdir");
    await mkdir(lock, { recursive: true });
    const then = new Date(Date.now() - 11_000);
    await utimes(lock, then, then);
    expect(await stage.call({ action: "add", target: "memory", content: "x" })).toMatchObject({ success: true });
    expect(await readdir(stage.folder)).toEqual(["MEMORY.md"]);
  });

  it("stop waiting for the lock when the turn is interrupted", async () => {
    await using stage = await memoryStage();
    await mkdir(join(stage.folder, "MEMORY.md.lockdir"), { recursive: true });
    const stop = new AbortController();
    const waiting = stage.notes.change("memory", { action: "add", content: "x" }, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toThrow("aborted");
  });

  it("never write to a file that cannot be read [10:MEM-4] [10:D45]", async () => {
    await using stage = await memoryStage();
    await mkdir(stage.folder);
    const path = join(stage.folder, "MEMORY.md");
    const latin1 = Buffer.from("Stra\xdfe", "latin1");
    await writeFile(path, latin1);
    expect(await stage.call({ action: "add", target: "memory", content: "x" })).toEqual({
      success: false,
      error: expect.stringContaining("not UTF-8"),
    });
    expect(await readFile(path)).toEqual(latin1);
    await mkdir(join(stage.folder, "USER.md"));
    expect(await stage.call({ action: "add", target: "user", content: "x" })).toMatchObject({ success: false });
  });

  it("keep a replacement character that was written on purpose", async () => {
    await using stage = await memoryStage();
    await mkdir(stage.folder);
    await writeFile(join(stage.folder, "MEMORY.md"), "shows as \uFFFD");
    await stage.call({ action: "add", target: "memory", content: "x" });
    expect(await stage.notes.read("memory")).toEqual(["shows as \uFFFD", "x"]);
  });
});

describe("a lock that is a directory", () => {
  it("is known to be lost by a holder that stood still too long, who leaves the next one's alone", async () => {
    await using stage = await memoryStage();
    const lock = join(stage.folder, "x.lockdir");
    const options = { clock: systemClock, signal: never };
    await withLockDirectory(
      lock,
      async (slow) => {
        const then = new Date(Date.now() - 11_000);
        await utimes(lock, then, then);
        await withLockDirectory(
          lock,
          async (next) => {
            expect([await slow.isOurs(), await next.isOurs()]).toEqual([false, true]);
          },
          options,
        );
        await mkdir(lock);
      },
      options,
    );
    expect((await stat(lock)).isDirectory()).toBe(true);
  });
});

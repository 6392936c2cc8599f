import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import fs from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import { type Clock, systemClock } from "#foundation/time/clock";
import { WorkspaceSnapshots } from "./workspace-snapshots.ts";

/** Everything below a folder, as text that can be compared: kind, mode, content or target. */
async function picture(root: string): Promise<readonly string[]> {
  const lines: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await fs.readdir(path.join(root, folder), { withFileTypes: true })) {
      const name = path.join(folder, entry.name);
      const full = path.join(root, name);
      const mode = ((await fs.lstat(full)).mode & 0o777).toString(8);
      if (entry.isSymbolicLink()) lines.push(`${name} link ${await fs.readlink(full)}`);
      else if (entry.isDirectory()) {
        lines.push(`${name} folder ${mode}`);
        await walk(name);
      } else
        lines.push(
          `${name} file ${mode} ${createHash("sha256")
            .update(await fs.readFile(full))
            .digest("hex")}`,
        );
    }
  };
  await walk("");
  return lines.sort();
}

describe("snapshots of a workspace", () => {
  let base: string;
  let root: string;
  let snapshots: WorkspaceSnapshots;
  const open = (clock: Clock = systemClock): WorkspaceSnapshots =>
    new WorkspaceSnapshots({
      folder: path.join(base, "kept"),
      maxSnapshots: 50,
      timeoutMs: 30_000,
      notProjects: ["/home/nobody"],
      excluded: "/home/nobody/.hermes",
      clock,
      logger: silentLogger,
    });

  beforeEach(async () => {
    base = await fs.mkdtemp(path.join(tmpdir(), "hermes-snap-"));
    root = path.join(base, "work");
    await fs.mkdir(path.join(root, ".git", "objects"), { recursive: true });
    await fs.mkdir(path.join(root, "empty"));
    await fs.writeFile(path.join(root, ".gitignore"), "secret\ndist\n");
    await fs.writeFile(path.join(root, "secret"), "kept all the same", { mode: 0o600 });
    await fs.writeFile(path.join(root, ".git", "HEAD"), "ref: refs/heads/main\n");
    await fs.writeFile(path.join(root, "big.bin"), Buffer.alloc(1_200_000, 7));
    await fs.writeFile(path.join(root, "run.sh"), "#!/bin/sh\n", { mode: 0o755 });
    await fs.symlink("run.sh", path.join(root, "link"));
    snapshots = open();
  });

  afterEach(async () => {
    snapshots[Symbol.dispose]();
    await fs.rm(base, { recursive: true, force: true });
  });

  async function covered(reason = "test"): Promise<string> {
    const outcome = await snapshots.before({ root, reason }, never);
    if (outcome.kind !== "covered") throw new Error(outcome.reason);
    return outcome.id;
  }

  it("brings back everything byte for byte: ignored files, modes, links, empty folders, .git [20:R11.18] [30:8.4] [30:8.5]", async () => {
    const id = await covered();
    const before = await picture(root);
    await fs.rm(path.join(root, ".git"), { recursive: true });
    await fs.rm(path.join(root, "empty"), { recursive: true });
    await fs.rm(path.join(root, "link"));
    await fs.writeFile(path.join(root, "link"), "no link any more");
    await fs.truncate(path.join(root, "big.bin"), 10);
    await fs.chmod(path.join(root, "secret"), 0o644);
    await fs.writeFile(path.join(root, "made-since"), "x");
    const report = await snapshots.restore(root, { id }, never);
    expect(await picture(root)).toEqual(before);
    expect(report.removed).toEqual(["made-since"]);
    expect(report.missing).toEqual([]);
  });

  it("says again and again that nothing changed without a new snapshot [20:R11.18]", async () => {
    const id = await covered();
    expect(await covered()).toBe(id);
    await fs.appendFile(path.join(root, "run.sh"), "echo\n");
    const next = await covered("after an edit");
    expect(next).not.toBe(id);
    expect((await snapshots.list(root, never)).map((one) => one.reason)).toEqual(["after an edit", "test"]);
  });

  it("goes on where another process stopped, also after it was killed in the middle of a line", async () => {
    const id = await covered();
    const before = await picture(root);
    snapshots[Symbol.dispose]();
    const journal = (await fs.readdir(path.join(base, "kept")))[0] ?? "";
    await fs.appendFile(path.join(base, "kept", journal, "journal.ndjson"), '{"id":"abc","at":1,"rea');
    snapshots = open();
    await fs.rm(path.join(root, "run.sh"));
    expect((await snapshots.restore(root, { id }, never)).restored).toEqual(["run.sh"]);
    expect(await picture(root)).toEqual(before);
  });

  it("brings back one file and leaves the others [20:R11.19]", async () => {
    const id = await covered();
    await fs.writeFile(path.join(root, "secret"), "changed");
    await fs.writeFile(path.join(root, "run.sh"), "changed");
    await snapshots.restore(root, { id, file: "secret" }, never);
    expect(await fs.readFile(path.join(root, "secret"), "utf8")).toBe("kept all the same");
    expect(await fs.readFile(path.join(root, "run.sh"), "utf8")).toBe("changed");
    await expect(snapshots.restore(root, { id, file: "../outside" }, never)).rejects.toThrow("does not lie inside");
  });

  it("can go forward again after going back", async () => {
    const id = await covered();
    await fs.writeFile(path.join(root, "new.txt"), "new");
    const changed = await picture(root);
    await snapshots.restore(root, { id }, never);
    const [latest] = await snapshots.list(root, never);
    await snapshots.restore(root, { id: latest?.id ?? "" }, never);
    expect(await picture(root)).toEqual(changed);
  });

  it("opens folders that were closed on the way", async () => {
    await fs.mkdir(path.join(root, "deep", "er"), { recursive: true });
    await fs.writeFile(path.join(root, "deep", "er", "x"), "x");
    const id = await covered();
    const before = await picture(root);
    await fs.rm(path.join(root, "deep", "er", "x"));
    await fs.chmod(path.join(root, "deep", "er"), 0o000);
    await fs.chmod(path.join(root, "deep"), 0o000);
    await snapshots.restore(root, { id }, never);
    expect(await picture(root)).toEqual(before);
  });

  it("does not copy a home, and says so", async () => {
    const outcome = await snapshots.before({ root: "/home", reason: "x" }, never);
    expect(outcome.kind).toBe("uncovered");
  });

  it("shows what changed", async () => {
    const id = await covered();
    await fs.writeFile(path.join(root, "run.sh"), "#!/bin/sh\necho hi\n");
    const text = await snapshots.diff(root, id, never);
    expect(text).toContain("+echo hi");
    expect(text).not.toContain("secret");
  });

  describe("of a turn", () => {
    const turn = (name: string, reason = "x") => snapshots.before({ root, reason, turn: name }, never);
    const ended = (name: string) => snapshots.endTurn({ root, reason: "after", turn: name }, never);
    const text = (name: string) => fs.readFile(path.join(root, name), "utf8");

    it("take back what it changed, and leave what somebody else did before, after and on top of it", async () => {
      await fs.writeFile(path.join(root, "both"), "at first");
      await turn("one");
      await fs.rm(path.join(root, "run.sh"));
      await fs.writeFile(path.join(root, "both"), "by the turn");
      await turn("one", "again");
      await fs.mkdir(path.join(root, "made"));
      await fs.writeFile(path.join(root, "made", "new"), "new");
      await ended("one");
      await fs.writeFile(path.join(root, "both"), "by the person");
      await fs.writeFile(path.join(root, "own"), "by the person");
      const report = await snapshots.undoTurn("one", never);
      expect(report).toEqual({ restored: ["run.sh"], removed: ["made/new"], missing: [], changedSince: ["both"] });
      expect(await text("run.sh")).toBe("#!/bin/sh\n");
      expect([await text("both"), await text("own")]).toEqual(["by the person", "by the person"]);
      await expect(fs.stat(path.join(root, "made"))).rejects.toThrow();
    });

    it("keep what named files hold before it is lost, and are the same otherwise", async () => {
      const at = (name: string) => path.join(root, name);
      const change = async (name: string): Promise<string> => {
        const outcome = await snapshots.before({ root, reason: "x", turn: "one", files: [at(name)] }, never);
        if (outcome.kind !== "covered") throw new Error(outcome.reason);
        return outcome.id;
      };
      const before = await picture(root);
      // A file that has just changed is looked at again, whoever names it.
      while (Date.now() - (await fs.stat(at("run.sh"))).ctimeMs < 100) await new Promise(setImmediate);
      const first = await change("new/file");
      await fs.mkdir(at("new"));
      await fs.writeFile(at("new/file"), "made");
      // Not there, and as it was kept: nothing can be lost.
      expect([await change("new/other"), await change("run.sh")]).toEqual([first, first]);
      await fs.writeFile(at("run.sh"), "by the turn");
      const second = await change("run.sh");
      expect(second).not.toBe(first);
      await fs.writeFile(at("run.sh"), "lost");
      // The first change of the next turn has a snapshot of its own, whatever it changes.
      const next = await snapshots.before({ root, reason: "x", turn: "two", files: [at("absent")] }, never);
      expect(next).not.toMatchObject({ id: second });
      await snapshots.undoTurn("one", never);
      expect(await picture(root)).toEqual(before);
      await snapshots.restore(root, { id: second, file: "run.sh" }, never);
      expect(await text("run.sh")).toBe("by the turn");
    });

    it("are taken back one after the other", async () => {
      const pictures: (readonly string[])[] = [];
      for (const name of ["one", "two", "three"]) {
        pictures.push(await picture(root));
        await turn(name);
        await fs.writeFile(path.join(root, "run.sh"), name);
        await fs.writeFile(path.join(root, name), name);
        await ended(name);
      }
      for (const name of ["three", "two", "one"]) {
        await snapshots.undoTurn(name, never);
        expect(await picture(root)).toEqual(pictures.pop());
      }
    });

    it("count up to now when it was cut off, also for the next process", async () => {
      const before = await picture(root);
      await turn("one");
      await fs.rm(path.join(root, ".git"), { recursive: true });
      await fs.rm(path.join(root, "big.bin"));
      snapshots[Symbol.dispose]();
      snapshots = open();
      await snapshots.undoTurn("one", never);
      expect(await picture(root)).toEqual(before);
    });

    it("bring a repository back as a whole or not at all", async () => {
      await turn("one");
      await fs.writeFile(path.join(root, ".git", "objects", "aa"), "a commit of the turn");
      await ended("one");
      await fs.writeFile(path.join(root, ".git", "HEAD"), "a commit on top of it");
      const report = await snapshots.undoTurn("one", never);
      expect(report).toMatchObject({ removed: [], changedSince: [".git"] });
      expect(await text(".git/objects/aa")).toBe("a commit of the turn");
    });

    it("are listed once each, also when nothing changed between them or much within one; their ends are not [20:R11.18]", async () => {
      await turn("one", "first");
      await turn("one", "the same turn");
      await fs.writeFile(path.join(root, "own"), "x");
      await turn("one", "after a change of its own");
      await fs.rm(path.join(root, "own"));
      await ended("one");
      await turn("two", "second");
      const list = await snapshots.list(root, never);
      expect(list.map(({ reason, differing }) => [reason, differing])).toEqual([
        ["second", 0],
        ["first", 0],
      ]);
      await fs.writeFile(path.join(root, "more"), "x");
      expect((await snapshots.list(root, never)).map(({ differing }) => differing)).toEqual([1, 1]);
    });

    it("that changed nothing have nothing to take back", async () => {
      await fs.writeFile(path.join(root, "own"), "x");
      expect(await snapshots.undoTurn("unknown", never)).toEqual({
        restored: [],
        removed: [],
        missing: [],
        changedSince: [],
      });
    });
  });

  it("never writes through a link that took the place of a folder", async () => {
    await fs.mkdir(path.join(root, "a", "b"), { recursive: true });
    await fs.writeFile(path.join(root, "a", "b", "c"), "inside");
    const id = await covered();
    const outside = path.join(base, "outside");
    await fs.mkdir(path.join(outside, "b"), { recursive: true });
    await fs.rm(path.join(root, "a"), { recursive: true });
    await fs.symlink(outside, path.join(root, "a"));
    await snapshots.restore(root, { id, file: "a/b/c" }, never);
    expect(await fs.readdir(path.join(outside, "b"))).toEqual([]);
    expect(await fs.readFile(path.join(root, "a", "b", "c"), "utf8")).toBe("inside");
  });

  it("takes nothing behind a link for its own, and removes nothing there", async () => {
    const outside = path.join(base, "outside");
    await fs.mkdir(path.join(outside, "letters"), { recursive: true });
    await fs.writeFile(path.join(outside, "letters", "mother.txt"), "Dear mother");
    await fs.mkdir(path.join(root, "data", "letters"), { recursive: true });
    await fs.writeFile(path.join(root, "data", "letters", "own.txt"), "own");
    const before = await picture(root);
    await snapshots.before({ root, reason: "test", turn: "turn-1" }, never);
    await fs.rm(path.join(root, "data"), { recursive: true });
    await fs.symlink(outside, path.join(root, "data"));
    await snapshots.undoTurn("turn-1", never);
    expect(await fs.readFile(path.join(outside, "letters", "mother.txt"), "utf8")).toBe("Dear mother");
    expect(await picture(root)).toEqual(before);
    const kept = await fs.readdir(path.join(base, "kept"), { recursive: true });
    const texts = await Promise.all(
      kept.map((name) => fs.readFile(path.join(base, "kept", name), "utf8").catch(() => "")),
    );
    expect(texts.filter((text) => text.includes("Dear mother"))).toEqual([]);
  });

  it("bring back what is gone also from a folder that was filled so that it cannot be kept any more", async () => {
    const before = await picture(root);
    await snapshots.before({ root, reason: "test", turn: "turn-1" }, never);
    await fs.mkdir(path.join(root, "many"));
    for (let number = 0; number <= 60_000; number += 1) writeFileSync(path.join(root, "many", String(number)), "");
    await fs.rm(path.join(root, ".git"), { recursive: true });
    await fs.rm(path.join(root, "big.bin"));
    await fs.writeFile(path.join(root, "run.sh"), "edited since");
    const report = await snapshots.undoTurn("turn-1", never);
    expect(report).toMatchObject({ removed: [], onlyGone: expect.stringContaining("60000") });
    expect(await fs.readFile(path.join(root, "run.sh"), "utf8")).toBe("edited since");
    const after = await picture(root);
    expect(before.filter((line) => !after.includes(line)).map((line) => line.split(" ")[0])).toEqual(["run.sh"]);
  });

  it("drops old snapshots with their contents, and the kept ones stay whole [20:R11.18] [30:W-30]", async () => {
    const few = new WorkspaceSnapshots({
      folder: path.join(base, "few"),
      maxSnapshots: 3,
      timeoutMs: 30_000,
      notProjects: ["/home/nobody"],
      excluded: "/home/nobody/.hermes",
      clock: systemClock,
      logger: silentLogger,
    });
    const pictures: (readonly string[])[] = [];
    for (let i = 0; i < 12; i++) {
      await fs.writeFile(path.join(root, "changing"), `content ${i}`);
      await few.before({ root, reason: `${i}` }, never);
      pictures.push(await picture(root));
    }
    const kept = await few.list(root, never);
    expect(kept.length).toBeLessThanOrEqual(4);
    for (const one of kept) {
      await few.restore(root, { id: one.id }, never);
      expect(await picture(root)).toEqual(pictures[Number(one.reason)]);
    }
    few[Symbol.dispose]();
  });

  it("sees changes in a folder that was put where another had been", async () => {
    await fs.mkdir(path.join(root, "src", "deep"), { recursive: true });
    await covered();
    await fs.rm(path.join(root, "src"), { recursive: true });
    await fs.mkdir(path.join(root, "src", "deep"), { recursive: true });
    await fs.writeFile(path.join(root, "src", "deep", "file"), "first");
    const id = await covered();
    await fs.writeFile(path.join(root, "src", "deep", "file"), "second");
    await snapshots.restore(root, { id }, never);
    expect(await fs.readFile(path.join(root, "src", "deep", "file"), "utf8")).toBe("first");
  });

  it("sees a change of the same length within one tick of the clock", async () => {
    const file = path.join(root, "count");
    for (let round = 0; round < 20; round += 1) {
      await fs.writeFile(file, "aa");
      const id = await covered();
      writeFileSync(file, "bb");
      await snapshots.restore(root, { id }, never);
      expect(await fs.readFile(file, "utf8")).toBe("aa");
    }
  });

  it("brings back whatever was done to the files, in any order", async () => {
    const name = fc.constantFrom("a", "b", "c/d", "c/e/f", ".git/HEAD", "empty", "link", "run.sh");
    const step = fc.oneof(
      fc.record({ do: fc.constant("write" as const), name, text: fc.string({ maxLength: 20 }) }),
      fc.record({ do: fc.constant("remove" as const), name, text: fc.constant("") }),
      fc.record({ do: fc.constant("folder" as const), name, text: fc.constant("") }),
      fc.record({ do: fc.constant("link" as const), name, text: fc.constantFrom("run.sh", "/etc/passwd", "nowhere") }),
      fc.record({ do: fc.constant("chmod" as const), name, text: fc.constantFrom("600", "755", "700") }),
    );
    const act = async (one: { do: string; name: string; text: string }): Promise<void> => {
      const file = path.join(root, one.name);
      const ignore = (): void => undefined;
      if (one.do === "remove") await fs.rm(file, { recursive: true, force: true }).catch(ignore);
      if (one.do === "folder") await fs.mkdir(file, { recursive: true }).catch(ignore);
      if (one.do === "link") await fs.symlink(one.text, file).catch(ignore);
      const there = await fs.lstat(file).catch(() => undefined);
      if (one.do === "chmod" && there !== undefined && !there.isSymbolicLink())
        await fs.chmod(file, Number.parseInt(one.text, 8));
      if (one.do === "write" && there?.isSymbolicLink() !== true) {
        await fs.mkdir(path.dirname(file), { recursive: true }).catch(ignore);
        await fs.writeFile(file, one.text).catch(ignore);
      }
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), fc.array(step, { maxLength: 12 }), async (first, second) => {
        for (const one of first) await act(one);
        const id = await covered();
        const before = await picture(root);
        for (const one of second) await act(one);
        await snapshots.restore(root, { id }, never);
        expect(await picture(root)).toEqual(before);
      }),
      { numRuns: 25 },
    );
  });

  it("of a project that is gone stay for a month, then they go; those of other projects stay", async () => {
    const other = path.join(base, "other");
    await fs.mkdir(other);
    await fs.writeFile(path.join(other, "a"), "a");
    for (const one of [root, other]) await snapshots.before({ root: one, reason: "first" }, never);
    await fs.rm(root, { recursive: true });
    await snapshots.forgetGone(never);
    expect(await fs.readdir(path.join(base, "kept"))).toHaveLength(2);
    using later = open({ ...systemClock, now: () => Date.now() + 31 * 24 * 3_600_000 });
    await later.forgetGone(never);
    const kept = await fs.readdir(path.join(base, "kept"));
    expect(kept).toHaveLength(1);
    expect(await fs.readFile(path.join(base, "kept", kept[0] ?? "", "root"), "utf8")).toContain(other);
  });
});

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UserError } from "../errors.ts";
import { never } from "../lifecycle/abort.ts";
import { runProcess } from "../process/run.ts";
import { ensureDir, readTextFile, resolveInside, safeJoin, writeFileAtomic } from "./files.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-files-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe("[20:R7.6] writing in one step", () => {
  test("replaces the content and leaves nothing else behind", async () => {
    const path = join(folder, "a.txt");
    await writeFileAtomic(path, "one");
    await writeFileAtomic(path, Buffer.from("two"));
    expect(readFileSync(path, "utf8")).toBe("two");
    expect(readdirSync(folder)).toEqual(["a.txt"]);
  });

  test("a new file gets the mode asked for, whatever the umask", async () => {
    const path = join(folder, "secret");
    await writeFileAtomic(path, "x", { mode: 0o600 });
    expect(modeOf(path)).toBe(0o600);
    await writeFileAtomic(path, "x", { mode: 0o666 });
    expect(modeOf(path)).toBe(0o666);
  });

  test("an existing file keeps its mode", async () => {
    const path = join(folder, "a");
    writeFileSync(path, "x");
    chmodSync(path, 0o640);
    await writeFileAtomic(path, "y");
    expect(modeOf(path)).toBe(0o640);
  });

  test("a linked file is written through the link, which stays", async () => {
    mkdirSync(join(folder, "real"));
    const target = join(folder, "real", "config.yaml");
    const link = join(folder, "config.yaml");
    writeFileSync(target, "old");
    symlinkSync("real/config.yaml", link);
    await writeFileAtomic(link, "new");
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, "utf8")).toBe("new");
    expect(readdirSync(join(folder, "real"))).toEqual(["config.yaml"]);
  });

  test("a link to a file that does not exist yet creates that file", async () => {
    symlinkSync(join(folder, "later"), join(folder, "link"));
    await writeFileAtomic(join(folder, "link"), "x");
    expect(readFileSync(join(folder, "later"), "utf8")).toBe("x");
    expect(lstatSync(join(folder, "link")).isSymbolicLink()).toBe(true);
  });

  test("a loop of links is an error", async () => {
    symlinkSync(join(folder, "b"), join(folder, "a"));
    symlinkSync(join(folder, "a"), join(folder, "b"));
    await expect(writeFileAtomic(join(folder, "a"), "x")).rejects.toThrow();
  });

  test("a failed write leaves no temporary file and the old content", async () => {
    mkdirSync(join(folder, "dir"));
    await expect(writeFileAtomic(join(folder, "dir"), "x")).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(["dir"]);
  });

  test("a reader never sees a part, while many write", async () => {
    const path = join(folder, "a");
    await writeFileAtomic(path, "0".repeat(100_000), { fsync: false });
    const writes = Array.from({ length: 8 }, (_, n) => writeFileAtomic(path, `${n}`.repeat(100_000), { fsync: false }));
    for (let round = 0; round < 20; round += 1) {
      const text = (await readTextFile(path, { maxBytes: 200_000 })) ?? "";
      expect(text).toBe(text.charAt(0).repeat(100_000));
    }
    await Promise.all(writes);
  });
});

describe("reading with a limit", () => {
  test("gives the text, without a byte order mark, or undefined when there is none", async () => {
    writeFileSync(join(folder, "a"), "\ufeffgrün");
    expect(await readTextFile(join(folder, "a"), { maxBytes: 100 })).toBe("grün");
    expect(await readTextFile(join(folder, "none"), { maxBytes: 100 })).toBeUndefined();
    expect(await readTextFile(join(folder, "a", "below"), { maxBytes: 100 })).toBeUndefined();
  });

  test("exactly the limit is read, one byte more is refused", async () => {
    writeFileSync(join(folder, "a"), "x".repeat(1_000));
    expect(await readTextFile(join(folder, "a"), { maxBytes: 1_000 })).toHaveLength(1_000);
    await expect(readTextFile(join(folder, "a"), { maxBytes: 999 })).rejects.toBeInstanceOf(UserError);
  });

  test("files without a size of their own are read too", async () => {
    expect(await readTextFile("/proc/self/status", { maxBytes: 100_000 })).toMatch(/^Name:/);
  });

  test("a folder, a device and a pipe nobody writes to are refused", async () => {
    await runProcess("mkfifo", [join(folder, "pipe")], { signal: never });
    for (const path of [folder, "/dev/zero", join(folder, "pipe")]) {
      await expect(readTextFile(path, { maxBytes: 10 })).rejects.toBeInstanceOf(UserError);
    }
  });
});

describe("paths below a root", () => {
  test("stay below it", () => {
    expect(safeJoin("/r", "a", "../b")).toBe("/r/b");
    expect(safeJoin("/r")).toBe("/r");
    expect(safeJoin("/r", "..a")).toBe("/r/..a");
    expect(safeJoin("/r", "/r/x")).toBe("/r/x");
  });

  test.each([["../x"], ["a/../../x"], ["/etc/passwd"], [".."], ["/r2"], ["a\0b"]])("%j is refused", (part) => {
    expect(() => safeJoin("/r", part)).toThrow(UserError);
  });

  test("no text leads out", () => {
    const part = fc.string({ unit: fc.constantFrom("..", "/", ".", "a", "\\", "~", "\0") });
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        let path: string;
        try {
          path = safeJoin("/root/dir", ...parts);
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
          return;
        }
        expect(path === "/root/dir" || path.startsWith("/root/dir/")).toBe(true);
      }),
    );
  });

  test("a link that leads out is refused, one that stays inside is followed", async () => {
    const root = join(folder, "root");
    mkdirSync(join(root, "sub"), { recursive: true });
    symlinkSync(folder, join(root, "out"));
    symlinkSync("sub", join(root, "in"));
    await expect(resolveInside(root, "out/secret")).rejects.toBeInstanceOf(UserError);
    expect(await resolveInside(root, "in/new.txt")).toBe(join(root, "sub", "new.txt"));
    expect(await resolveInside(root, "not/yet/there")).toBe(join(root, "not/yet/there"));
  });

  test("a link to nowhere that leads out is refused", async () => {
    symlinkSync(join(folder, "outside-later"), join(folder, "root-link"));
    mkdirSync(join(folder, "root"));
    symlinkSync(join(folder, "elsewhere"), join(folder, "root", "dangling"));
    await expect(resolveInside(join(folder, "root"), "dangling")).rejects.toBeInstanceOf(UserError);
  });
});

test("a folder is made with its parents and its mode, and again without complaint", async () => {
  const path = join(folder, "a", "b");
  await ensureDir(path, 0o700);
  await ensureDir(path);
  expect(modeOf(path)).toBe(0o700);
});

import { chmod, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makePrivateFolder, privateRoot } from "./private-folder.ts";

let temp: string;
beforeEach(async () => {
  temp = await mkdtemp(path.join(os.tmpdir(), "hermes-private-"));
});
afterEach(() => rm(temp, { recursive: true, force: true }));

describe("folders of a running program", () => {
  it("lie below one that nobody else may enter", async () => {
    const folder = await makePrivateFolder(temp, "terminal");
    expect(path.dirname(folder)).toBe(await privateRoot(temp));
    expect((await stat(path.dirname(folder))).mode & 0o777).toBe(0o700);
  });

  it("are not made where others can look in, and the person is told what to do", async () => {
    const root = await privateRoot(temp);
    await chmod(root, 0o755);
    await expect(makePrivateFolder(temp, "net")).rejects.toMatchObject({ hint: expect.stringContaining("TMPDIR") });
    expect(await readdir(root)).toEqual([]);
  });

  it("of a program that is gone are removed, others stay", async () => {
    const root = await privateRoot(temp);
    for (const name of ["net-999999999-abcdef", `net-${process.ppid}-abcdef`, "something else"])
      await mkdir(path.join(root, name));
    await makePrivateFolder(temp, "code");
    const names = await readdir(root);
    expect(names).not.toContain("net-999999999-abcdef");
    expect(names).toEqual(expect.arrayContaining([`net-${process.ppid}-abcdef`, "something else"]));
  });
});

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type DetectLocation, detect } from "./detector/detect.ts";
import { localFacts } from "./detector/local-facts.ts";
import { folderOf, staysBelow } from "./folder-scope.ts";

const base = realpathSync(mkdtempSync(path.join(tmpdir(), "hermes-folder-")));
const work = path.join(base, "work");
const other = path.join(base, "other");
mkdirSync(path.join(work, "sub"), { recursive: true });
mkdirSync(path.join(other, "x"), { recursive: true });
symlinkSync(other, path.join(work, "link"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const location: DetectLocation = {
  cwd: work,
  home: base,
  hermesHome: path.join(base, ".hermes"),
  tempDirs: ["/nowhere"],
  workspace: work,
  ...localFacts({ searchPath: process.env["PATH"], writable: [work], sinceMs: 0 }),
};
const folderFor = (command: string): string | undefined =>
  folderOf(command, detect(command, location).findings, location);

describe("the folder an approval can be bound to", () => {
  it.each([
    "rm -rf d1",
    "rm -r -- -odd",
    "cd sub && rm -rf x",
    "rm -rf *",
    "rm -rf sub/*.d",
    "rm -rf a; rm -rf b",
    `rm -rf ${work}/d1`,
    "find . -name '*.txt' -delete",
    "chmod -R 777 sub",
  ])("is the one it runs in: %s", (command) => {
    expect(folderFor(command)).toBe(work);
  });

  it.each([
    ["deletes elsewhere", "rm -rf ../other/x"],
    ["deletes here and elsewhere", `rm -rf d1 ${other}/x`],
    ["deletes here, then elsewhere", `rm -rf d1; rm -rf ${other}/x`],
    ["deletes after leaving", "cd ../other && rm -rf x"],
    ["deletes behind a link", "rm -rf link/x"],
    ["deletes behind a link by a glob", "rm -rf link/*"],
    ["goes through folders nobody named", "rm -rf */x"],
    ["deletes the folder itself", `rm -rf ${work}`],
    ["has other rights", "sudo rm -rf d1"],
    ["is known at run time only", "rm -rf $(cat list)"],
    ["is known at run time only, by a variable", 'rm -rf "$DIR"/x'],
    ["is handed its files", "ls | xargs rm -rf"],
    ["searches elsewhere", "find .. -name x -delete"],
    ["follows links", "find -L . -delete"],
    ["finds the folder above", "chmod -R 777 .*"],
    ["does something else besides", "rm -rf d1 && git push --force"],
    ["is of another kind", "git reset --hard"],
  ])("is none when it %s: %s", (_why, command) => {
    expect(folderFor(command)).toBeUndefined();
  });

  it("is asked about again from another folder, and not from one below", () => {
    const from = (cwd: string): boolean => staysBelow(work, "rm -rf x", { ...location, cwd });
    expect([from(work), from(path.join(work, "sub")), from(other), from(path.join(work, "link"))]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("is none where links cannot be followed, as on another machine", () => {
    expect(folderOf("rm -rf d1", detect("rm -rf d1", location).findings, { ...location, realPath: undefined })).toBe(
      undefined,
    );
  });
});

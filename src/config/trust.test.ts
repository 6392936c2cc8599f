import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { UserError } from "#foundation/errors";
import { never } from "#foundation/lifecycle/abort";
import { TempHome } from "./testing.ts";
import { holdsEverything, TrustedFolders } from "./trust.ts";

function folders(temp: TempHome, ...names: readonly string[]): readonly string[] {
  return names.map((name) => {
    mkdirSync(join(temp.folder, name), { recursive: true });
    return join(temp.folder, name);
  });
}

describe("a folder is trusted", () => {
  test("once a person has said so, with everything below it and nothing beside it", async () => {
    using temp = new TempHome();
    const [project = "", inner = "", beside = ""] = folders(temp, "project", "project/src/deep", "project-2");
    const trust = new TrustedFolders(temp.home);
    expect(trust.isTrusted(project)).toBe(false);
    expect(await trust.trust(project, never)).toBe(project);
    const again = new TrustedFolders(temp.home);
    expect([project, inner, beside, temp.folder].map((one) => again.isTrusted(one))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(again.list()).toEqual([{ folder: project, since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) }]);
    expect(temp.modeOf("trust.json")).toBe(0o600);
  });

  test("until it is taken off the list", async () => {
    using temp = new TempHome();
    const [project = ""] = folders(temp, "project");
    const trust = new TrustedFolders(temp.home);
    await trust.trust(project, never);
    expect(await trust.distrust(project, never)).toBe(true);
    expect(trust.isTrusted(project)).toBe(false);
    expect(await trust.distrust(project, never)).toBe(false);
  });

  test("by its real path: a link leads neither in nor out", async () => {
    using temp = new TempHome();
    const [project = "", hostile = ""] = folders(temp, "project", "hostile");
    const link = join(temp.folder, "link");
    symlinkSync(project, link);
    const trust = new TrustedFolders(temp.home);
    await trust.trust(link, never);
    expect(trust.list().map((one) => one.folder)).toEqual([project]);
    expect(trust.isTrusted(link)).toBe(true);
    // What is put in its place under the same name is another folder.
    renameSync(project, join(temp.folder, "moved"));
    symlinkSync(hostile, project);
    expect(trust.isTrusted(project)).toBe(false);
    symlinkSync(hostile, join(temp.folder, "moved", "inside"));
    expect(trust.isTrusted(join(temp.folder, "moved", "inside"))).toBe(false);
  });

  test("for one run, or by a setting, without being on the list", () => {
    using temp = new TempHome();
    const [project = "", other = "", third = ""] = folders(temp, "project", "other/inner", "third");
    const trust = new TrustedFolders(temp.home, { forThisRun: [project], bySetting: [join(temp.folder, "other")] });
    expect([project, other, third].map((one) => trust.isTrusted(one))).toEqual([true, true, false]);
    expect(trust.list()).toEqual([]);
    expect(temp.has("trust.json")).toBe(false);
  });

  test("only if it exists", async () => {
    using temp = new TempHome();
    const trust = new TrustedFolders(temp.home, { forThisRun: [join(temp.folder, "gone")] });
    expect(trust.isTrusted(join(temp.folder, "gone"))).toBe(false);
    await expect(trust.trust(join(temp.folder, "gone"), never)).rejects.toThrow(UserError);
    const [project = ""] = folders(temp, "project");
    await trust.trust(project, never);
    rmSync(project, { recursive: true });
    expect(trust.isTrusted(project)).toBe(false);
    expect(await trust.distrust(project, never)).toBe(true);
  });
});

test.each(["{", "[]", '{"folders": {}}', '{"folders": ["/"]}', '{"folders": [{"folder": "src", "since": ""}]}'])(
  "a list that is damaged (%j) trusts nothing and is not overwritten",
  async (text) => {
    using temp = new TempHome({ "trust.json": text });
    const [project = ""] = folders(temp, "project");
    const trust = new TrustedFolders(temp.home);
    expect([trust.isTrusted(project), trust.list(), trust.isDamaged]).toEqual([false, [], true]);
    await expect(trust.trust(project, never)).rejects.toMatchObject({ code: "trust_list_damaged" });
    expect(temp.read("trust.json")).toBe(text);
  },
);

test("folders trusted at the same time are all on the list", async () => {
  using temp = new TempHome();
  const all = folders(temp, "a", "b", "c", "d", "e");
  await Promise.all(all.map((folder) => new TrustedFolders(temp.home).trust(folder, never)));
  expect(new TrustedFolders(temp.home).list().map((one) => one.folder)).toEqual(all);
});

test("a folder that holds all of a person's files is known", () => {
  using temp = new TempHome();
  const [user = "", project = ""] = folders(temp, "users/me", "users/me/project");
  writeFileSync(join(user, "x"), "");
  const holds = (folder: string) => holdsEverything(folder, { HOME: user });
  expect(["/", temp.folder, user, project].map(holds)).toEqual([true, true, true, false]);
});

test("a folder is asked about once, when it has files of its own, and a no is remembered", async () => {
  using temp = new TempHome();
  const [project = ""] = folders(temp, "asked");
  const trust = new TrustedFolders(temp.home);
  const state = () => [trust.isAwaited(project), trust.isUndecided(project)];
  expect(state()).toEqual([false, false]);
  writeFileSync(join(project, "AGENTS.md"), "x");
  expect(state()).toEqual([true, true]);
  await trust.refuse(project, never);
  expect(state()).toEqual([true, false]);
  await trust.trust(project, never);
  expect(state()).toEqual([false, false]);
  await trust.distrust(project, never);
  expect(state()).toEqual([true, true]);
});

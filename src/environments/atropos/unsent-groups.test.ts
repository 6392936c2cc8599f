import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ScoredGroup } from "../env/group.ts";
import { UnsentGroups } from "./unsent-groups.ts";

const group = (name: string): ScoredGroup =>
  ({ tokens: [], masks: [], scores: [], group_overrides: { name } }) as never;
const nameOf = (one: ScoredGroup): unknown =>
  (one as unknown as { group_overrides: { name: string } }).group_overrides.name;

/** A trainer that takes everything. */
function taking(got: unknown[]): (one: ScoredGroup) => Promise<"sent"> {
  return (one) => {
    got.push(nameOf(one));
    return Promise.resolve("sent");
  };
}

describe("groups the trainer has not got", () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "hermes-unsent-"));
    file = path.join(folder, "unsent_groups.jsonl");
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("go when it is back, in their order, and leave no file", async () => {
    const unsent = new UnsentGroups(file);
    for (const name of ["a", "b", "c"]) await unsent.keep(group(name), "away");
    const got: unknown[] = [];
    expect(await unsent.sendAll(taking(got))).toBe(3);
    expect(got).toEqual(["a", "b", "c"]);
    expect(await readdir(folder)).toEqual([]);
  });

  it("that a killed process was sending wait again, those that went do not", async () => {
    const killed = new UnsentGroups(file);
    for (const name of ["a", "b", "c"]) await killed.keep(group(name), "away");
    // It ends in the middle: the second send never returns, as far as its files can tell.
    await expect(
      killed.sendAll(async (one) => {
        if (nameOf(one) === "b") throw new Error("killed");
        return "sent";
      }),
    ).rejects.toThrow("killed");
    expect((await readdir(folder)).sort()).toEqual(["unsent_groups.jsonl.sending", "unsent_groups.jsonl.sending.done"]);

    const next = new UnsentGroups(file);
    await next.keep(group("d"), "away");
    const got: unknown[] = [];
    expect(await next.sendAll(taking(got))).toBe(3);
    expect(got).toEqual(["d", "b", "c"]);
    expect(await readdir(folder)).toEqual([]);
  });

  it("are kept apart when they are refused or cannot be read", async () => {
    await writeFile(file, "{half\n");
    const unsent = new UnsentGroups(file);
    await unsent.keep(group("a"), "away");
    expect(await unsent.sendAll(async () => "refused")).toBe(0);
    expect(await readFile(unsent.refused, "utf8")).toBe(`{half\n${JSON.stringify(group("a"))}\n`);
    expect(await readdir(folder)).toEqual(["refused_groups.jsonl"]);
  });
});

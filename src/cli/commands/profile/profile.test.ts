import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli, temporaryHome } from "../../testing.ts";

let location: ReturnType<typeof temporaryHome>;
const inHome = (...parts: string[]) => path.join(location.home, ...parts);
const hermes = (...args: string[]) => runCli(args, { home: location.home });

beforeEach(() => {
  location = temporaryHome();
});
afterEach(() => location.remove());

describe("hermes profile", () => {
  it("makes, lists, uses, renames and deletes [20:R7.20]", async () => {
    await hermes("config", "set", "timezone", "UTC");
    expect((await hermes("profile", "create", "coder", "--clone", "--no-alias")).code).toBe(0);
    expect(readFileSync(inHome("profiles", "coder", "config.yaml"), "utf8")).toContain("UTC");
    await hermes("profile", "use", "coder");
    const { profiles } = JSON.parse((await hermes("profile", "--json")).stdout) as {
      profiles: { name: string; is_active: boolean }[];
    };
    expect(profiles.map(({ name, is_active: isActive }) => [name, isActive])).toEqual([
      ["default", false],
      ["coder", true],
    ]);
    expect((await hermes("profile", "rename", "coder", "writer")).code).toBe(0);
    expect((await hermes("profile", "delete", "writer", "-y")).code).toBe(0);
    expect(existsSync(inHome("profiles", "writer"))).toBe(false);
  });

  it("refuses the name of a command, a taken one and a bad one [20:R7.19]", async () => {
    expect(await hermes("profile", "create", "config", "--no-alias")).toMatchObject({ code: 1 });
    await hermes("profile", "create", "coder", "--no-alias");
    expect(await hermes("profile", "create", "coder", "--no-alias")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("already"),
    });
    expect((await hermes("profile", "create", "No Good", "--no-alias")).code).toBe(1);
  });

  it("puts a command in the path and takes it away [20:R7.20]", async () => {
    const bin = path.join(location.home, "..", ".local", "bin");
    mkdirSync(bin, { recursive: true });
    await hermes("profile", "create", "coder");
    expect(readFileSync(path.join(bin, "coder"), "utf8")).toContain("hermes -p coder");
    expect((await hermes("profile", "alias", "coder", "--remove")).code).toBe(0);
    expect(existsSync(path.join(bin, "coder"))).toBe(false);
    expect((await hermes("profile", "alias", "coder", "--name", "../evil")).code).toBe(1);
  });

  it("asks before it deletes, and without a terminal wants -y [20:R8.3]", async () => {
    await hermes("profile", "create", "coder", "--no-alias");
    expect(await hermes("profile", "delete", "coder")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("-y"),
    });
    const no = await runCli(["profile", "delete", "coder"], { home: location.home, typed: ["n"] });
    expect(no).toMatchObject({ code: 1, stdout: expect.stringContaining("Nothing was deleted") });
    expect(existsSync(inHome("profiles", "coder"))).toBe(true);
    expect((await runCli(["profile", "delete", "coder"], { home: location.home, typed: ["yes"] })).code).toBe(0);
  });
});

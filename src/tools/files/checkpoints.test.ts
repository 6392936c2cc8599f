import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryLogger } from "#foundation/files/logger";
import { Checkpoints } from "./checkpoints.ts";

const { signal } = new AbortController();
let base = "";
let project = "";
beforeEach(() => {
  base = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "hermes-checkpoints-")));
  project = path.join(base, "home", "project");
  fs.mkdirSync(path.join(project, "src"), { recursive: true });
  fs.writeFileSync(path.join(project, "package.json"), "{}");
});
afterEach(() => fs.rmSync(base, { recursive: true, force: true }));

const put = (name: string, text: string) => fs.writeFileSync(path.join(project, name), text);
const get = (name: string) => fs.readFileSync(path.join(project, name), "utf8");
const open = (maxSnapshots = 50) => {
  const logger = memoryLogger();
  const folder = path.join(base, "checkpoints");
  const home = path.join(base, "home");
  return {
    checkpoints: new Checkpoints({ folder, maxSnapshots, timeoutMs: 30_000, home, env: process.env, logger }),
    logger,
  };
};
const snapshot = (checkpoints: Checkpoints, reason = "write_file", turn = signal) =>
  checkpoints.before({ paths: [path.join(project, "src", "a.txt")], reason, signal: turn });

describe("checkpoints", () => {
  it("take one snapshot per turn and bring the original bytes back [30:8.4] [30:8.5] [20:R11.18]", async () => {
    const { checkpoints } = open();
    put("src/a.txt", "original\r\n\u00e9");
    await snapshot(checkpoints);
    put("src/a.txt", "first edit");
    await snapshot(checkpoints);
    put("src/a.txt", "second edit");
    put("src/new.txt", "made later");
    const [only, ...more] = await checkpoints.list(project, signal);
    expect(more).toEqual([]);
    expect(only).toMatchObject({ reason: "write_file" });
    expect(await checkpoints.diff(project, only?.hash ?? "", signal)).toContain("+second edit");
    expect(await checkpoints.restore(project, { hash: only?.short ?? "" }, signal)).toEqual({
      restored: ["src/a.txt"],
      removed: ["src/new.txt"],
    });
    expect(get("src/a.txt")).toBe("original\r\n\u00e9");
    expect(fs.existsSync(path.join(project, "src/new.txt"))).toBe(false);
  });

  it("snapshot the present before going back, so that going back can be undone", async () => {
    const { checkpoints } = open();
    put("src/a.txt", "one");
    await snapshot(checkpoints);
    put("src/a.txt", "two");
    const [first] = await checkpoints.list(project, signal);
    await checkpoints.restore(project, { hash: first?.hash ?? "", file: "src/a.txt" }, signal);
    expect(get("src/a.txt")).toBe("one");
    const [latest] = await checkpoints.list(project, signal);
    await checkpoints.restore(project, { hash: latest?.hash ?? "" }, signal);
    expect(get("src/a.txt")).toBe("two");
  });

  it("leave the user's own repository, ignored folders and secrets alone [20:R11.18]", async () => {
    execFileSync("git", ["init", "-q"], { cwd: project });
    const { checkpoints } = open();
    put("src/a.txt", "x");
    put(".env", "KEY=secret");
    fs.mkdirSync(path.join(project, "node_modules"));
    put("node_modules/dep.js", "x");
    await snapshot(checkpoints);
    expect(execFileSync("git", ["status", "--porcelain"], { cwd: project, encoding: "utf8" })).toContain("?? src/");
    const [only] = await checkpoints.list(project, signal);
    put(".env", "KEY=changed");
    await checkpoints.restore(project, { hash: only?.hash ?? "" }, signal);
    expect(get(".env")).toBe("KEY=changed");
  });

  it("keep only as many as asked for, and every kept one still works [20:R11.18]", async () => {
    const { checkpoints } = open(3);
    for (let index = 0; index < 6; index += 1) {
      put("src/a.txt", `version ${index}`);
      await snapshot(checkpoints, `step ${index}`, new AbortController().signal);
    }
    const kept = await checkpoints.list(project, signal);
    expect(kept.map((one) => one.reason)).toEqual(["step 5", "step 4", "step 3"]);
    await checkpoints.restore(project, { hash: kept[2]?.hash ?? "" }, signal);
    expect(get("src/a.txt")).toBe("version 3");
    const [repository = ""] = fs.readdirSync(path.join(base, "checkpoints"));
    const count = execFileSync("git", ["rev-list", "--count", "HEAD"], {
      cwd: path.join(base, "checkpoints", repository),
      encoding: "utf8",
    });
    expect(Number(count)).toBeLessThanOrEqual(5);
  });

  it("refuse ids and paths that are none", async () => {
    const { checkpoints } = open();
    await expect(checkpoints.restore(project, { hash: "--force" }, signal)).rejects.toThrow("not a checkpoint id");
    await expect(checkpoints.restore(project, { hash: "abcd", file: "../x" }, signal)).rejects.toThrow(
      "does not lie inside",
    );
    await expect(checkpoints.restore(project, { hash: "abcd", file: "/etc/passwd" }, signal)).rejects.toThrow(
      "does not lie inside",
    );
  });

  it("never fail the change they stand before [20:R11.18]", async () => {
    const { checkpoints, logger } = open();
    fs.writeFileSync(path.join(base, "checkpoints"), "a file where the folder should be");
    put("src/a.txt", "x");
    await snapshot(checkpoints);
    expect(logger.lines.map((line) => line.message)).toEqual(["no checkpoint was made"]);
  });

  it("know the project of a file, and skip the home and the root [20:R11.18]", async () => {
    const { checkpoints } = open();
    expect(await checkpoints.rootOf(path.join(project, "src", "a.txt"))).toBe(project);
    expect(await checkpoints.rootOf(path.join(base, "home", "x.txt"))).toBeUndefined();
    expect(await checkpoints.rootOf("/x.txt")).toBeUndefined();
  });
});

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { runCli } from "../testing.ts";
import { openWorktree } from "./worktree.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hermes-worktree-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const env = {
  ...process.env,
  GIT_AUTHOR_NAME: "t",
  GIT_AUTHOR_EMAIL: "t@example.org",
  GIT_COMMITTER_NAME: "t",
  GIT_COMMITTER_EMAIL: "t@example.org",
};
const git = (...args: string[]): string => execFileSync("git", args, { cwd: folder, env, encoding: "utf8" });

async function repository(): Promise<void> {
  git("init", "-q");
  await writeFile(path.join(folder, "a.txt"), "one\n");
  await writeFile(path.join(folder, ".env.local"), "KEY=1\n");
  await writeFile(path.join(folder, ".worktreeinclude"), ".env.local\n../outside\n");
  git("add", "a.txt");
  git("commit", "-qm", "first");
}

describe("a worktree for one session [20:R11.20]", () => {
  it("is made from HEAD on a branch of its own, with the files that were asked for, and goes again", async () => {
    await repository();
    const worktree = await openWorktree(folder, { env, isTrusted: true }, never);
    expect(worktree.branch).toMatch(/^hermes\/hermes-[0-9a-f]{8}$/);
    expect(await readFile(path.join(worktree.path, "a.txt"), "utf8")).toBe("one\n");
    expect(await readFile(path.join(worktree.path, ".env.local"), "utf8")).toBe("KEY=1\n");
    expect(git("status", "--porcelain", "--untracked-files=no")).toBe("");
    expect(git("status", "--porcelain")).not.toContain(".worktrees");
    expect(existsSync(path.join(folder, ".gitignore"))).toBe(false);
    expect(await worktree.close(never)).toBeUndefined();
    expect(existsSync(worktree.path)).toBe(false);
    expect(git("branch", "--list", "hermes/*")).toBe("");
    expect(existsSync(path.dirname(worktree.path))).toBe(false);
  });

  it("[20:A11.10] stays, and says how to remove it, when it holds work that is nowhere else [20:R11.21]", async () => {
    await repository();
    const worktree = await openWorktree(folder, { env, isTrusted: true }, never);
    await writeFile(path.join(worktree.path, "new.txt"), "work\n");
    expect(await worktree.close(never)).toContain("uncommitted changes");
    execFileSync("git", ["add", "new.txt"], { cwd: worktree.path, env });
    execFileSync("git", ["commit", "-qm", "work"], { cwd: worktree.path, env });
    expect(await worktree.close(never)).toContain("commits that exist nowhere else");
    expect(existsSync(path.join(worktree.path, "new.txt"))).toBe(true);
  });

  it("[20:A11.10] stays when a chat left something there that is not committed, and its path is printed [20:R11.21]", async () => {
    await repository();
    const home = path.join(folder, "home");
    await mkdir(home);
    const run = await runCli(["-z", "run `touch left.txt`", "-m", "demo", "--yolo", "-w"], { home, cwd: folder });
    expect(run.code).toBe(0);
    const [name = ""] = await readdir(path.join(folder, ".worktrees"));
    const kept = path.join(folder, ".worktrees", name);
    expect(existsSync(path.join(kept, "left.txt"))).toBe(true);
    expect(run.stdout + run.stderr).toContain(kept);
  });

  it("[20:A11.9] is refused outside a repository, so that nothing runs without it", async () => {
    await expect(openWorktree(folder, { env, isTrusted: true }, never)).rejects.toThrow("needs a git repository");
  });

  it("[20:A11.9] is made for every chat when the settings want it", async () => {
    const home = path.join(folder, "home");
    await mkdir(home);
    await writeFile(path.join(home, "config.yaml"), "worktree: true\n");
    const outside = await runCli(["-z", "hello", "-m", "demo"], { home, cwd: folder });
    expect(outside.code).toBe(1);
    expect(outside.stderr).toContain("needs a git repository");
    expect((await runCli(["sessions", "list", "--json"], { home, cwd: folder })).stdout).toContain('"sessions": []');
    await repository();
    const inside = await runCli(["-z", "run: pwd", "-m", "demo", "--yolo"], { home, cwd: folder });
    expect(inside.code).toBe(0);
    expect(await readFile(path.join(folder, ".git", "info", "exclude"), "utf8")).toContain(".worktrees/");
  });
});

import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gitBranch } from "./git-branch.ts";

let folder: string;
const git = (...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args], {
    cwd: path.join(folder, "repo"),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hermes-branch-"));
  await mkdir(path.join(folder, "repo", "deep", "er"), { recursive: true });
  git("init", "-q", "-b", "feature/tea");
  git("commit", "-q", "--allow-empty", "-m", "one");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the branch of a folder", () => {
  it("is found from anywhere in the repository, and nowhere else [20:R10.17]", async () => {
    expect(await gitBranch(path.join(folder, "repo"))).toBe("feature/tea");
    expect(await gitBranch(path.join(folder, "repo", "deep", "er"))).toBe("feature/tea");
    expect(await gitBranch(folder)).toBeUndefined();
  });

  it("is that of the worktree in a worktree, and the commit without a branch [20:R10.17]", async () => {
    git("worktree", "add", "-q", "-b", "hermes/x", "../tree");
    expect(await gitBranch(path.join(folder, "tree"))).toBe("hermes/x");
    git("checkout", "-q", "--detach");
    expect(await gitBranch(path.join(folder, "repo"))).toBe(git("rev-parse", "HEAD").slice(0, 7));
  });
});

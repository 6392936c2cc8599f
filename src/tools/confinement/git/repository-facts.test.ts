import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { dropNewStarters, factsOf } from "./repository-facts.ts";

it("reads no more of a repository than a person writes, and removes a vast new hook like any other", async () => {
  const workspace = await realpath(await mkdtemp(path.join(tmpdir(), "hermes-facts-")));
  try {
    await mkdir(path.join(workspace, ".git/hooks"), { recursive: true });
    await writeFile(path.join(workspace, ".git/config"), "[core]\n");
    const before = factsOf(workspace, ".git");
    const hook = path.join(workspace, ".git/hooks/pre-commit");
    await writeFile(hook, "#!/bin/sh\n");
    await truncate(hook, 64 * 1_048_576);
    const after = factsOf(workspace, ".git");
    expect(after.hooks.get("pre-commit")).toHaveLength(0);
    expect(dropNewStarters(workspace, ".git", { before, after })).toEqual(["hooks/pre-commit"]);
    expect(existsSync(hook)).toBe(false);
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
});

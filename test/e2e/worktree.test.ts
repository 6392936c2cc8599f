import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";

it("a session in a worktree works there, with the files that were asked for, and its model is told [20:R11.20] [20:R11.21]", async () => {
  await using server = await startModelServer({ strict: true });
  await using stage = await Stage.open({
    config: modelConfig(server.chatBaseUrl),
    files: {
      "a.txt": "one\n",
      ".gitignore": "libraries\nlocal.conf\n",
      "local.conf": "KEY=1\n",
      "libraries/b.txt": "b\n",
      ".worktreeinclude": "# what git does not keep\nlocal.conf\nlibraries\n../outside.txt\n",
    },
  });
  await writeFile(path.join(stage.folder, "outside.txt"), "not yours\n");
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], {
      cwd: stage.work,
      encoding: "utf8",
    });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "first");
  // What an earlier session left without work in it, more than a day ago.
  const stale = path.join(stage.work, ".worktrees", "hermes-0badf00d");
  git("worktree", "add", "-q", "-b", "hermes/hermes-0badf00d", stale, "HEAD");
  const longAgo = new Date(Date.now() - 25 * 3_600_000);
  await utimes(stale, longAgo, longAgo);

  const look = "pwd; git branch --show-current; cat local.conf libraries/b.txt; ls -a; readlink libraries";
  server.script(calls("terminal", { command: look }), says("I looked."));
  const ran = await stage.run(["chat", "-q", "Where are you?", "-Q", "-w", "--trust-folder"]);
  expect(ran).toMatchObject({ code: 0, stdout: "I looked.\n" });
  const seen = JSON.stringify((await server.received(2)).messages.at(-1));
  const [, name = ""] = /\.worktrees\/(hermes-[0-9a-f]{8})/.exec(seen) ?? [];
  expect(seen).toContain(`${path.join(stage.work, ".worktrees", name)}\\\\nhermes/${name}\\\\nKEY=1\\\\nb\\\\n`);
  expect(seen).toContain(path.join(stage.work, "libraries"));
  expect(seen).not.toContain("outside");
  const system = String(server.requests[0]?.messages[0]?.["content"]);
  expect(system).toContain(path.join(stage.work, ".worktrees", name));
  expect(system).toContain(`hermes/${name}`);
  // It held nothing that is not elsewhere, so it is gone, as is what was left over.
  expect(existsSync(path.join(stage.work, ".worktrees"))).toBe(false);
  expect(git("branch", "--list", "hermes/*")).toBe("");
  expect(existsSync(path.join(stage.work, "libraries", "b.txt"))).toBe(true);
});

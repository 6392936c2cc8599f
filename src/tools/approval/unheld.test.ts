import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Confinement } from "../confinement/confinement.ts";
import { localFacts } from "./detector/local-facts.ts";
import { isHarmlessUnheld } from "./unheld.ts";

const root = realpathSync(mkdtempSync(path.join(tmpdir(), "hermes-unheld-")));
const home = path.join(root, "home");
const workspace = path.join(home, "project");
const wall: Confinement = {
  workspace,
  writable: [workspace, "/tmp"],
  home,
  otherHomes: [],
  hermesHome: path.join(home, ".hermes"),
  hermesReadable: [],
  hermesWritable: [],
  masked: [],
  network: { mode: "ask", allow: [], deny: [] },
  environment: [],
  enforcement: "none",
};
const location = {
  cwd: workspace,
  home,
  hermesHome: wall.hermesHome,
  tempDirs: ["/tmp"],
  workspace,
  ...localFacts({ searchPath: process.env["PATH"], writable: [workspace], sinceMs: 0 }),
};

beforeAll(() => {
  for (const folder of [".ssh", "project/src", "project/.git", "project/config", "other"])
    mkdirSync(path.join(home, folder), { recursive: true });
  writeFileSync(path.join(home, ".ssh/id_ed25519"), "key");
  writeFileSync(path.join(workspace, "src/a.ts"), "a");
  writeFileSync(path.join(workspace, "config/.env"), "KEY=1");
  writeFileSync(path.join(workspace, ".git/config"), "[core]\n\tbare = false\n");
  writeFileSync(path.join(home, "other/list.txt"), "x");
  symlinkSync(path.join(home, ".ssh"), path.join(workspace, "link"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("commands where no sandbox works", () => {
  it.each([
    "ls -la",
    "cat src/a.ts | head -3",
    "grep -n a src/a.ts",
    "grep -rn a src",
    "git status && git log -3",
    "wc -l src/a.ts ../other/list.txt",
    "echo hello > src/b.ts",
    "mkdir -p src/new && touch src/new/c.ts",
    "cp src/a.ts src/d.ts",
  ])("%s looks at or makes files of the workspace and runs freely", (command) => {
    expect(isHarmlessUnheld(command, location, wall)).toBe(true);
  });

  it.each([
    "npm test",
    "node -e 1",
    "python3 script.py",
    "make",
    "./run.sh",
    "curl https://example.org",
    "cat ~/.ssh/id_ed25519",
    "cat link/id_ed25519",
    "cat ../.ssh/id_ed25519",
    "cd ~/.ssh && cat id_ed25519",
    "grep -r KEY .",
    "grep -r KEY",
    "cat config/.env",
    "cat config/.e*",
    "grep -r x ~",
    "find / -name x",
    "ls ~",
    "cat $FILE",
    "ps aux",
    "echo x > ../outside",
    "echo x > .git/hooks/pre-commit",
    "cp ~/.ssh/id_ed25519 src/x",
    "cp -r link src/x",
    "touch ../outside",
    "alias ls=rm",
    "PATH=. ls",
    "ls; rm -r src",
    "echo $(id)",
    "sort -o src/a.ts /etc/passwd",
    "git -c core.pager=x log",
    "git push",
  ])("%s asks", (command) => {
    expect(isHarmlessUnheld(command, location, wall)).toBe(false);
  });

  it("git asks where the settings of the repository start a program", () => {
    writeFileSync(path.join(workspace, ".git/config"), "[core]\n\tfsmonitor = ./x.sh\n");
    expect(isHarmlessUnheld("git status", location, wall)).toBe(false);
  });

  it("everything asks where the workspace is a home", () => {
    expect(isHarmlessUnheld("ls", { ...location, cwd: home, workspace: home }, { ...wall, workspace: home })).toBe(
      false,
    );
  });
});

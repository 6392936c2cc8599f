import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Confinement, judgeRead, judgeWrite } from "./confinement.ts";

const wall: Confinement = {
  workspace: "/home/ann/work/app",
  writable: ["/home/ann/work/app", "/tmp"],
  home: "/home/ann",
  otherHomes: [],
  hermesHome: "/home/ann/.hermes",
  hermesReadable: ["/home/ann/.hermes/skills"],
  hermesWritable: ["/home/ann/.hermes/home"],
  masked: ["/srv/vault"],
  network: { mode: "ask", allow: [], deny: [] },
  environment: ["PATH"],
  enforcement: "bubblewrap",
};

describe("what the wall says about a path", () => {
  it.each([
    ["/home/ann/work/app/src/x.ts", "allowed", "allowed"],
    ["/tmp/x", "allowed", "allowed"],
    ["/home/ann/work/other/x.ts", "allowed", "ask"],
    ["/etc/hosts", "allowed", "ask"],
    ["/etc/shadow", "ask", "ask"],
    ["/etc/ssh/ssh_host_rsa_key", "ask", "ask"],
    ["/proc/1/environ", "ask", "ask"],
    ["/proc/self/environ", "ask", "ask"],
    ["/srv/vault/deep/key", "ask", "ask"],
    ["/home/ann/.ssh/id_ed25519", "ask", "ask"],
    ["/home/ann/.SSH/config", "ask", "ask"],
    ["/home/ann/.bash_history", "ask", "ask"],
    ["/home/ann/.config/google-chrome-beta/Default/Cookies", "ask", "ask"],
    ["/home/ann/.gitconfig", "allowed", "ask"],
    ["/home/ann/.hermes/auth.json", "refused", "refused"],
    ["/home/ann/.hermes/profiles/x/state.db", "refused", "refused"],
    ["/home/ann/.hermes/skills/a/SKILL.md", "allowed", "refused"],
    ["/home/ann/.hermes/home/.cache/x", "allowed", "allowed"],
    ["/home/ann/work/app/.env", "ask", "ask"],
    ["/home/ann/work/app/.env.local", "ask", "ask"],
    ["/home/ann/work/app/.env.example", "allowed", "allowed"],
    ["/home/ann/work/app/certs/server.key", "ask", "ask"],
    ["/home/ann/work/app/.git/hooks/pre-commit", "allowed", "ask"],
    ["/home/ann/work/app/.git/config", "allowed", "ask"],
    ["/home/ann/work/app/vendor/lib/.git/hooks/x", "allowed", "ask"],
    ["/home/ann/work/app/.git", "allowed", "ask"],
    ["/home/ann/work/app/.git/index", "allowed", "allowed"],
    ["/home/ann/work/app/.git/HEAD", "allowed", "allowed"],
    ["/home/ann/work/app/AGENTS.md", "allowed", "ask"],
    ["/home/ann/work/app/docs/CLAUDE.md", "allowed", "ask"],
    ["/home/ann/work/app/.vscode/tasks.json", "allowed", "ask"],
    ["/home/ann/work/app-evil/x", "allowed", "ask"],
  ] as const)("%s: reading %s, writing %s", (file, read, write) => {
    expect([judgeRead(wall, file).kind, judgeWrite(wall, file).kind]).toEqual([read, write]);
  });

  it("asks about whatever starts by itself when the home is the workspace", () => {
    const home = { ...wall, workspace: "/home/ann", writable: ["/home/ann"] };
    expect(judgeWrite(home, "/home/ann/notes.txt").kind).toBe("allowed");
    for (const file of [".bashrc", ".config/autostart/x.desktop", "bin/ls", "Library/LaunchAgents/x.plist"])
      expect(judgeWrite(home, `/home/ann/${file}`).kind).toBe("ask");
    const all = { ...wall, workspace: "/", writable: ["/"] };
    expect(judgeWrite(all, "/etc/cron.d/x").kind).toBe("ask");
    expect(judgeWrite(all, "/home/ann/notes.txt").kind).toBe("allowed");
  });

  it("lets root read and write in a home below /root, and still hides its secrets", () => {
    const root = {
      ...wall,
      home: "/root",
      workspace: "/root/app",
      writable: ["/root/app"],
      hermesHome: "/root/.hermes",
    };
    expect(judgeRead(root, "/root/app/x").kind).toBe("allowed");
    expect(judgeRead(root, "/root/.ssh/id_rsa").kind).toBe("ask");
    expect(judgeRead(root, "/root/.hermes/.env").kind).toBe("refused");
  });

  it("never allows more for writing than for reading, wherever the path leads", () => {
    const rank = { allowed: 2, ask: 1, refused: 0 };
    const name = fc.constantFrom(
      "home",
      "ann",
      ".ssh",
      ".git",
      "hooks",
      "config",
      "work",
      "app",
      ".hermes",
      "skills",
      ".env",
      "x",
      "etc",
      "proc",
      "1",
      "environ",
      "tmp",
    );
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 7 }), (names) => {
        const file = `/${names.join("/")}`;
        expect(rank[judgeWrite(wall, file).kind]).toBeLessThanOrEqual(rank[judgeRead(wall, file).kind]);
      }),
    );
  });
});

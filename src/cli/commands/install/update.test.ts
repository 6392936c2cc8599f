import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { HermesHome } from "#foundation/files/paths";
import { FakeWebServer } from "../../../../test/fakes/web-server/index.ts";
import { compareVersions } from "../../compare-versions.ts";
import { runCli, temporaryHome } from "../../testing.ts";

describe("hermes update", () => {
  it.each([
    ["1.2.3", "1.2.3", 0],
    ["1.10.0", "1.9.9", 1],
    ["1.0.0-beta.1", "1.0.0", -1],
    ["1.0.0", "1.0.0-beta.1", 1],
    ["0.1.0", "0.0.0-source", 1],
  ])("compares %s with %s", (left, right, expected) => {
    expect(compareVersions(left, right)).toBe(expected);
  });

  it("has npm install the newest and brings the shipped skills of every profile up to date, a person's changes apart [20:R8.17]", async () => {
    await using server = await FakeWebServer.start({ "/": { body: { version: "99.0.0" } } });
    const { home, remove } = temporaryHome();
    try {
      const bin = path.join(home, "..", "bin");
      mkdirSync(home);
      mkdirSync(bin);
      writeFileSync(path.join(bin, "npm"), `#!/bin/sh\necho "$@" >> '${bin}/asked'\n`, { mode: 0o755 });
      const env = { HERMES_UPDATE_URL: `${server.origin}/`, PATH: `${bin}:/usr/bin:/bin` };
      expect((await runCli(["profile", "create", "work"], { home, env })).code).toBe(0);
      const run = await runCli(["update", "--json"], { home, env });
      expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining("99.0.0") });
      expect(readFileSync(path.join(bin, "asked"), "utf8")).toBe("install -g hermes-ts@99.0.0\n");
      const skillsOf = (root: string) =>
        readdirSync(path.join(root, "skills"), { recursive: true })
          .map(String)
          .filter((name) => name.endsWith("SKILL.md"));
      const [own, work] = [home, path.join(home, "profiles", "work")].map(skillsOf);
      expect(own?.length).toBeGreaterThan(10);
      expect(work).toEqual(own);
      const changed = path.join(home, "skills", own?.[0] ?? "");
      writeFileSync(changed, `${readFileSync(changed, "utf8")}\nMy own line.\n`);
      expect(JSON.parse((await runCli(["update", "--json"], { home, env })).stdout)).toMatchObject({
        skills: { added: 0, updated: 0 },
      });
      expect(readFileSync(changed, "utf8")).toContain("My own line.");
      writeFileSync(path.join(bin, "npm"), "#!/bin/sh\necho no space left >&2; exit 1\n", { mode: 0o755 });
      expect(await runCli(["update"], { home, env })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("no space left"),
      });
    } finally {
      remove();
    }
  });

  it("--check changes nothing and says by 10 that there is a newer version [20:R8.17]", async () => {
    let newest = "99.0.0";
    await using server = await FakeWebServer.start({ "/": () => ({ body: { version: newest } }) });
    const { home, remove } = temporaryHome();
    mkdirSync(home);
    const env = { HERMES_UPDATE_URL: `${server.origin}/` };
    try {
      const run = await runCli(["update", "--check", "--json"], { home, env });
      expect(run.code).toBe(10);
      expect(JSON.parse(run.stdout)).toMatchObject({ newest: "99.0.0", has_update: true });
      // The banner of the chat tells of it from then on.
      const { updateNotice } = await import("../../chat/screen-facts.ts");
      const hermesHome = new HermesHome(home);
      expect(await updateNotice(hermesHome)).toContain("Hermes 99.0.0 is available");
      newest = "0.0.0-a";
      expect((await runCli(["update", "--check"], { home, env })).code).toBe(0);
      expect(await updateNotice(hermesHome)).toBeUndefined();
    } finally {
      remove();
    }
  });
});

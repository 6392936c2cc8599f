import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HermesHome } from "#foundation/files/paths";
import { TempHome } from "../testing.ts";
import { Profiles } from "./profiles.ts";

const files = {
  "config.yaml": "model: x\n",
  ".env": "A_TOKEN=1\n",
  "SOUL.md": "soul",
  "memories/MEMORY.md": "notes",
  "memories/USER.md": "me",
  "auth.json": "{}",
  "state.db": "db",
  "state.db-wal": "wal",
  "cache/images/a.png": "png",
  "skills/own/SKILL.md": "skill",
  "gateway.pid": "999999999",
  "gateway_state.json": "{}",
};

describe("[20:R7.19] [20:R7.20] profiles", () => {
  test("a blank one has its folders, for its owner only", async () => {
    using temp = new TempHome(files);
    const { home } = await new Profiles(temp.env).create("coder", { from: "blank", noAlias: true });
    for (const name of ["memories", "sessions", "skills", "skins", "logs", "plans", "workspace", "cron", "home"]) {
      expect(statSync(home.at(name)).isDirectory()).toBe(true);
    }
    expect(statSync(home.root).mode & 0o777).toBe(0o700);
    expect(existsSync(home.config)).toBe(false);
  });

  test("[20:A7.8] its settings are found by name; an unknown name is an error", async () => {
    using temp = new TempHome();
    await new Profiles(temp.env).create("coder", { from: "blank", noAlias: true });
    expect(HermesHome.resolve(temp.env, "coder").config).toBe(join(temp.folder, ".hermes/profiles/coder/config.yaml"));
    await expect(new Profiles(temp.env).find("nosuch")).rejects.toMatchObject({ exitCode: 1, code: "profile_unknown" });
    expect(() => HermesHome.resolve(temp.env, "nosuch")).toThrow(/nosuch/);
  });

  test("a clone has settings, secrets and memory, and nothing else", async () => {
    using temp = new TempHome(files);
    const { home } = await new Profiles(temp.env).create("twin", { from: "clone", noAlias: true });
    const has = (name: string) => existsSync(home.at(name));
    expect(["config.yaml", ".env", "SOUL.md", "memories/MEMORY.md", "memories/USER.md"].every(has)).toBe(true);
    expect(["auth.json", "state.db", "gateway.pid", "skills/own/SKILL.md"].some(has)).toBe(false);
  });

  test("a full clone has all but the running state", async () => {
    using temp = new TempHome({ ...files, "profiles/old/config.yaml": "x: 1\n", active_profile: "old\n" });
    const { home } = await new Profiles(temp.env).create("copy", {
      from: "clone-all",
      source: "default",
      noAlias: true,
    });
    const has = (name: string) => existsSync(home.at(name));
    expect(["state.db", "auth.json", "skills/own/SKILL.md", "cache/images/a.png"].every(has)).toBe(true);
    expect(["gateway.pid", "gateway_state.json", "profiles", "active_profile"].some(has)).toBe(false);
  });

  test("a clone takes the profile in use, or the one that is named", async () => {
    using temp = new TempHome(files);
    const profiles = new Profiles(temp.env);
    const { home } = await profiles.create("one", { from: "blank", noAlias: true });
    writeFileSync(home.config, "model: one\n");
    await profiles.use("one");
    const { home: two } = await profiles.create("two", { from: "clone", noAlias: true });
    const { home: three } = await profiles.create("three", { from: "clone", source: "default", noAlias: true });
    expect([two, three].map((at) => readFileSync(at.config, "utf8"))).toEqual(["model: one\n", "model: x\n"]);
  });

  test.each([
    "default",
    "hermes",
    "test",
    "tmp",
    "root",
    "sudo",
    "Big",
    "-x",
    "a/b",
    "..",
    "",
    "x".repeat(65),
    "gateway",
  ])("%j is no name", async (name) => {
    using temp = new TempHome();
    const creating = new Profiles(temp.env).create(name, {
      from: "blank",
      noAlias: true,
      commands: ["gateway", "chat"],
    });
    await expect(creating).rejects.toMatchObject({ code: "profile_name_invalid" });
  });

  test("a name is used once, and a failed creation leaves nothing", async () => {
    using temp = new TempHome();
    const profiles = new Profiles(temp.env);
    await profiles.create("a", { from: "blank", noAlias: true });
    await expect(profiles.create("a", { from: "blank" })).rejects.toMatchObject({ code: "profile_exists" });
    await expect(profiles.create("b", { from: "clone", source: "zzz" })).rejects.toMatchObject({
      code: "profile_unknown",
    });
    expect((await profiles.list()).map(({ name }) => name)).toEqual(["default", "a"]);
  });

  test("the sticky choice is set, shown, survives a rename and ends with a deletion", async () => {
    using temp = new TempHome();
    const profiles = new Profiles(temp.env);
    await profiles.create("a", { from: "blank", noAlias: true });
    await profiles.use("a");
    expect(HermesHome.resolve(temp.env).profileName).toBe("a");
    await profiles.rename("a", "b");
    expect((await profiles.list()).map(({ name, isActive }) => [name, isActive])).toEqual([
      ["default", false],
      ["b", true],
    ]);
    await profiles.delete("b");
    expect(await profiles.active()).toBe("default");
    expect(HermesHome.resolve(temp.env).profileName).toBe("default");
  });

  test("a corrupt sticky choice is ignored", async () => {
    using temp = new TempHome({ active_profile: "../../etc\n" });
    expect(await new Profiles(temp.env).active()).toBe("default");
  });

  test("the default profile is neither renamed nor deleted, one with a running gateway neither", async () => {
    using temp = new TempHome();
    const profiles = new Profiles(temp.env);
    await expect(profiles.delete("default")).rejects.toThrow(/default/);
    await expect(profiles.rename("default", "x")).rejects.toThrow(/default/);
    const { home } = await profiles.create("busy", { from: "blank", noAlias: true });
    writeFileSync(home.gatewayPid, JSON.stringify({ pid: process.pid }));
    await expect(profiles.delete("busy")).rejects.toMatchObject({ code: "profile_in_use" });
    expect(existsSync(home.root)).toBe(true);
  });

  test("an export carries no credentials, databases or caches, and can be imported", async () => {
    using temp = new TempHome({
      ...files,
      "auth/google_oauth.json": "{}",
      "mcp-tokens/a.json": "{}",
      "config.yaml.bak": "old",
    });
    const profiles = new Profiles(temp.env);
    const folder = join(temp.folder, "exported");
    await profiles.exportTo("default", folder);
    const has = (name: string) => existsSync(join(folder, name));
    expect(["config.yaml", "SOUL.md", "memories/MEMORY.md", "skills/own/SKILL.md"].every(has)).toBe(true);
    const secret = [
      ".env",
      "auth.json",
      "auth",
      "mcp-tokens",
      "state.db",
      "state.db-wal",
      "cache",
      "profiles",
      "gateway.pid",
    ];
    expect(secret.filter(has)).toEqual([]);
    const home = await profiles.importFrom(folder, { name: "moved" });
    expect(readFileSync(home.config, "utf8")).toBe("model: x\n");
    await expect(profiles.exportTo("default", folder)).rejects.toThrow(/exists/);
  });

  test("[20:R7.22] a home outside of ~/.hermes is its own root", async () => {
    using temp = new TempHome();
    const root = join(temp.folder, "data");
    mkdirSync(join(root, "profiles", "a"), { recursive: true });
    for (const chosen of [root, join(root, "profiles", "a")]) {
      const profiles = new Profiles({ ...temp.env, HERMES_HOME: chosen });
      expect((await profiles.list()).map(({ home }) => home.root)).toEqual([root, join(root, "profiles", "a")]);
    }
  });
});

describe("[20:R7.20] the command of a profile", () => {
  test("is put beside the person's own programs and goes with the profile", async () => {
    using temp = new TempHome();
    const profiles = new Profiles(temp.env);
    const { alias } = await profiles.create("coder", { from: "blank" });
    const path = join(temp.folder, ".local/bin/coder");
    expect(alias).toEqual({ kind: "written", path });
    expect(readFileSync(path, "utf8")).toContain('exec hermes -p coder "$@"');
    expect(statSync(path).mode & 0o777).toBe(0o755);
    await profiles.rename("coder", "writer");
    expect(existsSync(path)).toBe(false);
    expect(existsSync(join(temp.folder, ".local/bin/writer"))).toBe(true);
    await profiles.delete("writer");
    expect(existsSync(join(temp.folder, ".local/bin/writer"))).toBe(false);
  });

  test("never takes the place of another program", async () => {
    using temp = new TempHome();
    mkdirSync(join(temp.folder, ".local/bin"), { recursive: true });
    const own = join(temp.folder, ".local/bin/mine");
    writeFileSync(own, "#!/bin/sh\necho mine\n");
    const profiles = new Profiles({ ...temp.env, PATH: "/usr/bin:/bin" });
    expect((await profiles.create("mine", { from: "blank" })).alias.kind).toBe("skipped");
    expect((await profiles.create("env", { from: "blank" })).alias.kind).toBe("skipped");
    await profiles.delete("mine");
    expect(readFileSync(own, "utf8")).toBe("#!/bin/sh\necho mine\n");
  });
});

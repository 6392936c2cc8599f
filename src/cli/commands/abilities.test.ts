import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Quarantine } from "#agent";
import { systemClock } from "#foundation/time/clock";
import { runCli, temporaryHome } from "../testing.ts";

let location: ReturnType<typeof temporaryHome>;
const inHome = (...parts: string[]) => path.join(location.home, ...parts);
const put = (name: string, text: string) => {
  mkdirSync(path.dirname(inHome(name)), { recursive: true });
  writeFileSync(inHome(name), text);
};
const hermes = (...args: string[]) => runCli(args, { home: location.home });
const json = async (...args: string[]) =>
  JSON.parse((await hermes(...args, "--json")).stdout) as Record<string, unknown>;
const settings = () => readFileSync(inHome("config.yaml"), "utf8");

beforeEach(() => {
  location = temporaryHome();
  mkdirSync(location.home, { recursive: true });
});
afterEach(() => location.remove());

describe("hermes tools", () => {
  const isOn = async (name: string, ...more: string[]) => {
    const { toolsets } = (await json("tools", "list", ...more)) as {
      toolsets: { name: string; is_enabled: boolean }[];
    };
    return toolsets.find((one) => one.name === name)?.is_enabled;
  };

  it("switches toolsets off and on for one surface", async () => {
    expect(await isOn("web")).toBe(true);
    expect((await hermes("tools", "disable", "web", "browser")).code).toBe(0);
    expect([await isOn("web"), await isOn("browser"), await isOn("file")]).toEqual([false, false, true]);
    expect(await isOn("web", "--platform", "telegram")).toBe(true);
    await hermes("tools", "enable", "web");
    expect([await isOn("web"), await isOn("browser")]).toEqual([true, false]);
  });

  it("does not call a toolset on that holds no tool of this program, and keeps it in a list", async () => {
    expect([await isOn("rl"), await isOn("messaging")]).toEqual([false, false]);
    expect((await hermes("tools", "list")).stdout).toMatch(/^- +messaging .* none$/m);
    expect((await hermes("tools", "--summary")).stdout).not.toContain("messaging");
    await hermes("tools", "disable", "web");
    expect(JSON.stringify(await json("config", "get", "platform_toolsets.cli"))).toContain("messaging");
    expect((await hermes("tools", "enable", "messaging")).stderr).toContain("no tools in it");
  });

  it("refuses what it does not know, with what was meant", async () => {
    expect(await hermes("tools", "disable", "webb")).toMatchObject({ code: 1, stderr: expect.stringContaining("web") });
    expect(await hermes("tools", "disable", "web", "--platform", "a b")).toMatchObject({ code: 2 });
  });

  it("shows a checklist at a terminal and names the other ways without one [20:R8.3]", async () => {
    expect(await hermes("tools")).toMatchObject({ code: 1, stderr: expect.stringContaining("hermes tools enable") });
    const run = await runCli(["tools"], { home: location.home, typed: ["web", ""] });
    expect(run.code).toBe(0);
    expect(await isOn("web")).toBe(false);
    expect((await hermes("tools", "--summary")).stdout).toMatch(/^cli: \d+ of \d+ on/);
  });
});

describe("hermes skills", () => {
  const skill = "---\nname: tea\ndescription: How to make tea\n---\n\n# Tea\n\nBoil water.\n";

  it("lists what is on this machine and switches it off [20:R8.3]", async () => {
    put("skills/kitchen/tea/SKILL.md", skill);
    const listed = async (...flags: string[]) =>
      (await json("skills", "list", ...flags))["skills"] as { name: string; source: string; state: string }[];
    const all = await listed();
    expect(all.find(({ name }) => name === "tea")).toMatchObject({ source: "local", state: "usable" });
    // Those that come with Hermes are there before the first chat.
    expect(all.filter(({ source }) => source === "builtin").length).toBeGreaterThan(10);
    expect(await hermes("skills", "config")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("hermes config set"),
    });
    await runCli(["skills", "config"], { home: location.home, typed: ["tea", ""] });
    expect((await listed()).find(({ name }) => name === "tea")).toMatchObject({ state: "disabled" });
    expect((await listed("--enabled-only")).map(({ name }) => name)).not.toContain("tea");
  });

  it("finds, inspects, installs, audits and removes a shipped skill through the official hub", async () => {
    const found = (await json("skills", "search", "--source", "official", "skill")) as {
      skills: { identifier: string; name: string }[];
    };
    const [one] = found.skills;
    if (one === undefined) throw new Error("no shipped skill was found");
    expect(await json("skills", "inspect", one.identifier)).toMatchObject({ report: { verdict: expect.any(String) } });
    expect(await hermes("skills", "install", one.identifier)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("-y"),
    });
    expect(await hermes("skills", "install", one.identifier, "-y")).toMatchObject({ code: 0 });
    expect(await json("skills", "check")).toMatchObject({ skills: [{ state: "current" }] });
    expect((await hermes("skills", "audit")).stdout).toContain("Guard:");
    const file = inHome("snapshot.json");
    expect((await hermes("skills", "snapshot", "export", file)).code).toBe(0);
    expect((await hermes("skills", "uninstall", one.name)).code).toBe(0);
    expect((await json("skills", "snapshot", "import", file))["skills"]).toMatchObject([{ state: "installed" }]);
    expect((await hermes("skills", "uninstall", "nosuch")).code).toBe(1);
  });

  it("keeps taps, and publishes nowhere without a place and a token", async () => {
    await hermes("skills", "tap", "add", "me/skills");
    expect((await json("skills", "tap"))["taps"]).toContain("me/skills");
    expect((await hermes("skills", "tap", "remove", "me/skills")).code).toBe(0);
    put("own/tea/SKILL.md", skill);
    expect(await hermes("skills", "publish", inHome("own/tea"))).toMatchObject({ code: 2 });
    expect(await hermes("skills", "publish", inHome("own/tea"), "--repo", "me/skills")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("token"),
    });
  });
});

describe("hermes plugins", () => {
  const manifest = "name: greeter\nversion: 1.2.0\ndescription: Greets\n";
  const module =
    'export function register(context) { context.registerCliCommand({ name: "greet", help: "Greets", handler: (args) => { globalThis.greeted = args; return 7; } }); }\n';

  it("installs from a folder, enables, lists, runs its command, disables and removes [20:R8.19]", async () => {
    put("../src/greeter/plugin.yaml", manifest);
    put("../src/greeter/index.mjs", module);
    expect((await hermes("plugins", "install", inHome("../src/greeter"), "--no-enable")).code).toBe(0);
    expect(await json("plugins", "list")).toMatchObject({ plugins: [{ name: "greeter", state: "not enabled" }] });
    expect(await hermes("greet", "you")).toMatchObject({ code: 2 });
    expect((await hermes("plugins", "enable", "greeter")).code).toBe(0);
    expect(await json("plugins")).toMatchObject({ plugins: [{ name: "greeter", state: "enabled", version: "1.2.0" }] });
    expect((await hermes("--help")).stdout).toContain("greet");
    expect((await hermes("greet", "you")).code).toBe(7);
    expect(Reflect.get(globalThis, "greeted")).toEqual(["you"]);
    Reflect.deleteProperty(globalThis, "greeted");
    expect((await hermes("plugins", "disable", "greeter")).code).toBe(0);
    expect((await hermes("greet")).code).toBe(2);
    expect((await hermes("plugins", "remove", "greeter", "-y")).code).toBe(0);
    expect(existsSync(inHome("plugins", "greeter"))).toBe(false);
    expect(settings()).not.toContain("- greeter");
  });

  it("chooses one memory provider and one context engine [20:R8.20]", async () => {
    expect(await json("plugins", "memory")).toMatchObject({
      current: "none",
      offers: expect.arrayContaining([{ name: "holographic", about: expect.any(String) }]),
    });
    expect((await hermes("plugins", "memory", "holographic")).code).toBe(0);
    expect(await json("plugins", "memory")).toMatchObject({ current: "holographic" });
    expect((await runCli(["plugins", "memory"], { home: location.home, typed: ["none"] })).code).toBe(0);
    expect(await json("plugins")).toMatchObject({ memory_provider: null, context_engine: "compressor" });
    expect(await hermes("plugins", "context-engine", "nosuch")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("compressor"),
    });
  });

  it("names a plugin that is not there", async () => {
    expect(await hermes("plugins", "enable", "nosuch")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("nosuch"),
    });
    expect(await hermes("plugins", "install", "/nosuch/folder")).toMatchObject({ code: 1 });
  });
});

describe("hermes memory", () => {
  it("shows the notes, forgets them on request and keeps a copy", async () => {
    put("memories/MEMORY.md", "likes tea");
    expect(await json("memory")).toMatchObject({
      notes: [{ target: "memory", entries: 1 }, { entries: 0 }],
      pending: 0,
      provider: null,
    });
    expect((await hermes("memory", "reset")).code).toBe(1);
    expect((await hermes("memory", "reset", "--target", "memory", "-y")).code).toBe(0);
    expect(existsSync(inHome("memories/MEMORY.md"))).toBe(false);
    expect(readdirSync(inHome("memories")).some((name) => /^MEMORY\.md\.\d+\.bak$/.test(name))).toBe(true);
  });

  it("asks every question of the provider, and puts secrets into .env alone [20:R8.20]", async () => {
    put("plugins/diary/plugin.yaml", "name: diary\nkind: exclusive\ndescription: Diary\n");
    put(
      "plugins/diary/index.mjs",
      `import { writeFileSync } from "node:fs";
       export function register(context) {
         context.registerMemoryProvider({
           name: "diary", isAvailable: () => true, initialize() {}, getToolSchemas: () => [], handleToolCall: () => "{}",
           getConfigSchema: () => [
             { key: "mode", description: "Where", choices: ["cloud", "local"], default: "cloud" },
             { key: "api_key", description: "Key", secret: true, required: true, env_var: "DIARY_API_KEY", when: { mode: "cloud" } },
             { key: "color", description: "Colour", default: "blue" },
           ],
           saveConfig: (values, home) => writeFileSync(home + "/diary.json", JSON.stringify(values)),
         });
       }\n`,
    );
    const missing = await hermes("memory", "setup", "diary");
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("api_key is required") });
    const run = await runCli(["memory", "setup"], {
      home: location.home,
      typed: ["diary", "cloud", "diary-secret-1", ""],
    });
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout).not.toContain("diary-secret-1");
    expect(readFileSync(inHome(".env"), "utf8")).toContain("DIARY_API_KEY=diary-secret-1");
    expect(JSON.parse(readFileSync(inHome("diary.json"), "utf8"))).toEqual({ mode: "cloud", color: "blue" });
    expect(await json("memory", "status")).toMatchObject({ provider: { name: "diary", state: "ready" } });
    expect((await hermes("memory", "off")).code).toBe(0);
    expect(await json("memory")).toMatchObject({ provider: null });
    expect((await hermes("memory", "setup", "diary", "--set", "mode=local,color=red")).code).toBe(0);
    expect(JSON.parse(readFileSync(inHome("diary.json"), "utf8"))).toEqual({ mode: "local", color: "red" });
  });

  it("has the commands of the chosen provider, and of no other [20:R8.19]", async () => {
    put("plugins/diary/plugin.yaml", "name: diary\nkind: exclusive\n");
    put(
      "plugins/diary/cli.mjs",
      'export function registerCli(command) { command.subcommand({ name: "page", description: "Turns", run: (args) => args.length }); }\n',
    );
    expect((await hermes("diary", "page")).code).toBe(2);
    await hermes("config", "set", "memory.provider", "diary");
    expect((await hermes("diary", "page", "a", "b")).code).toBe(2);
    expect((await hermes("diary", "page", "a", "b", "c")).code).toBe(3);
    expect((await hermes("--help")).stdout).toContain("diary");
    await hermes("memory", "off");
    expect((await hermes("--help")).stdout).not.toContain("diary");
  });

  it("remembers and drops what waited for a person's word", async () => {
    const quarantine = new Quarantine({ folder: inHome("memories"), clock: systemClock });
    mkdirSync(inHome("memories"), { recursive: true });
    const { signal } = new AbortController();
    for (const content of ["likes walnuts", "hates walnuts"])
      await quarantine.park(
        {
          kind: "note",
          target: "memory",
          change: { action: "add", content },
          source: "https://example.com",
          sessionId: "s",
        },
        signal,
      );
    const { pending } = (await json("memory", "pending")) as { pending: { id: string; text: string }[] };
    expect(pending.map(({ text }) => text)).toEqual(["likes walnuts", "hates walnuts"]);
    expect((await hermes("memory", "confirm", pending[0]?.id ?? "")).code).toBe(0);
    expect((await hermes("memory", "reject", pending[1]?.id ?? "")).code).toBe(0);
    expect(readFileSync(inHome("memories/MEMORY.md"), "utf8")).toContain("likes walnuts");
    expect((await hermes("memory", "confirm", "nosuch")).code).toBe(1);
  });
});

describe("hermes mcp", () => {
  it("adds a server, moves its credential to .env, filters, lists and removes it", async () => {
    expect(
      (
        await hermes(
          "mcp",
          "add",
          "files",
          "--command",
          "node",
          "--args",
          "server.js,-v",
          "--env",
          "API_TOKEN=top-secret-1",
          "--no-test",
        )
      ).code,
    ).toBe(0);
    expect(settings()).toContain("MCP_FILES_API_TOKEN");
    expect(settings()).not.toContain("top-secret-1");
    expect(readFileSync(inHome(".env"), "utf8")).toContain("MCP_FILES_API_TOKEN=top-secret-1");
    expect(await hermes("mcp", "add", "files", "--url", "https://example.com/mcp", "--no-test")).toMatchObject({
      code: 1,
    });
    await hermes("mcp", "configure", "files", "--exclude", "danger", "--disable");
    expect(await json("mcp")).toMatchObject({
      servers: [{ name: "files", target: "node server.js -v", is_enabled: false, exclude: ["danger"] }],
    });
    expect((await hermes("mcp", "remove", "files", "-y")).code).toBe(0);
    expect(await json("mcp", "list")).toMatchObject({ servers: [] });
  });

  it("refuses half a server and one it does not know", async () => {
    expect((await hermes("mcp", "add", "x")).code).toBe(2);
    expect((await hermes("mcp", "add", "x", "--url", "https://a.example", "--command", "b")).code).toBe(2);
    expect(await hermes("mcp", "test", "nosuch")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("hermes mcp list"),
    });
    await hermes("mcp", "add", "x", "--command", "node", "--no-test");
    expect(await hermes("mcp", "login", "x")).toMatchObject({ code: 1, stderr: expect.stringContaining("auth oauth") });
  });
});

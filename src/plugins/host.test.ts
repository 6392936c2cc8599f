import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { newToolCall } from "#conversation";
import { never } from "#foundation/lifecycle/abort";
import { systemClock } from "#foundation/time/clock";
import { type SessionScope, Toolbelt } from "#tools";
import { fakeTool, listingOf, noAbilities, testScope } from "#tools/testing";
import { hookedCalls } from "./hooks/call-observer.ts";
import { type PluginStage, pluginStage } from "./testing.ts";

const tool = (name: string, body = `() => "hello"`, rest = "") =>
  `ctx.registerTool({ name: "${name}", toolset: "demo", schema: { type: "object", properties: {} }, handler: ${body}${rest} });`;
const module = (body: string) => `export function register(ctx) { ${body} }\n`;

/** Runs one call through the whole toolbelt, hooks included, and gives what the model would read. */
async function run(stage: PluginStage, name: string, scope: SessionScope = testScope()): Promise<unknown> {
  return await runWith(stage, { name, args: {} }, scope);
}

async function runWith(
  stage: PluginStage,
  { name, args }: { readonly name: string; readonly args: Record<string, unknown> },
  scope: SessionScope = testScope(),
): Promise<unknown> {
  const belt = new Toolbelt({
    listing: await listingOf(stage.registry),
    files: { keep: () => Promise.resolve(undefined) },
    clock: systemClock,
    logger: stage.logger,
    redact: (text) => text,
  });
  const observer = hookedCalls(stage.hooks, { taskId: "t", sessionId: "s", signal: never });
  const context = { taskId: "t", sessionId: "s", scope, agent: noAbilities };
  const call = newToolCall({ id: "call_1", name, arguments: JSON.stringify(args) });
  const [message] = await belt.run([call], { context, observer }, never);
  return JSON.parse(String(message?.content));
}

describe("activation", () => {
  it("leaves a plugin that is not enabled alone and never imports it [30:7.1] [30:7.7-1]", async () => {
    await using stage = await pluginStage();
    await stage.write({ "plugins/a/plugin.yaml": "name: a", "plugins/a/index.mjs": "throw new Error('imported');" });
    const imported: string[] = [];
    const host = stage.host([], { importModule: (url) => Promise.resolve(imported.push(url)) });
    await host.load();
    expect(host.list.map(({ key, state }) => [key, state.kind])).toEqual([["a", "not enabled"]]);
    expect(imported).toEqual([]);
  });

  it("lets disabled win over enabled [30:7.1] [30:7.7-2]", async () => {
    await using stage = await pluginStage();
    await stage.write({ "plugins/a/plugin.yaml": "name: a", "plugins/a/index.mjs": module(tool("x")) });
    const host = stage.host(["a"], { choice: { enabled: ["a"], disabled: ["a"] } });
    await host.load();
    expect(host.list[0]?.state).toEqual({ kind: "disabled" });
    expect(stage.registry.snapshot().tools.size).toBe(0);
  });

  it("takes back everything of a plugin whose register throws; others load [30:7.4] [30:7.7-3]", async () => {
    await using stage = await pluginStage();
    await stage.write({
      "plugins/bad/plugin.yaml": "name: bad",
      "plugins/bad/index.mjs": module(`${tool("x")} ctx.registerCommand("c", () => ""); throw new Error("broke");`),
      "plugins/good/plugin.yaml": "name: good",
      "plugins/good/index.mjs": module(tool("y")),
    });
    const host = stage.host(["bad", "good"]);
    await host.load();
    expect([...stage.registry.snapshot().tools.keys()]).toEqual(["y"]);
    expect(stage.contributions.commands.size).toBe(0);
    expect(host.list.map(({ state }) => state)).toEqual([{ kind: "failed", reason: "broke" }, { kind: "enabled" }]);
  });

  it("names the variable that is missing and does not load [30:7.3] [30:7.7-4]", async () => {
    await using stage = await pluginStage();
    await stage.write({
      "plugins/a/plugin.yaml": "name: a\nrequires_env: [A_KEY, {name: B_KEY, secret: true}]",
      "plugins/a/index.mjs": module(tool("x")),
    });
    const host = stage.host(["a"], { env: { B_KEY: "1" } });
    await host.load();
    expect(host.list[0]?.state).toEqual({ kind: "failed", reason: "it needs A_KEY, which is not set" });
  });

  it("ignores plugins of a project unless switched on and trusted as they are [30:7.1] [30:7.7-5]", async () => {
    await using stage = await pluginStage();
    const files = { "project/a/plugin.yaml": "name: a", "project/a/index.mjs": module(tool("x")) };
    await stage.write(files);
    const off = stage.host(["a"]);
    await off.load();
    expect(off.list).toEqual([]);
    const locations = { user: join(stage.home, "plugins"), project: join(stage.home, "project") };
    const on = stage.host(["a"], { locations });
    await on.load();
    expect(on.list[0]?.state).toMatchObject({ kind: "failed", reason: expect.stringContaining("not been trusted") });
    const folder = join(stage.home, "project", "a");
    const plugin = {
      key: "a",
      source: "project" as const,
      folder,
      entry: join(folder, "index.mjs"),
      manifest: {
        name: "a",
        version: "",
        description: "",
        author: "",
        kind: "standalone" as const,
        requiresEnv: [],
        overridesTools: [],
        permissions: [],
      },
    };
    await stage.trust.trust(plugin);
    await on.load({ force: true });
    expect(on.list[0]?.state).toEqual({ kind: "enabled" });
    await stage.write({ "project/a/index.mjs": `${files["project/a/index.mjs"]}// changed\n` });
    await on.load({ force: true });
    expect(on.list[0]?.state.kind).toBe("failed");
  });

  it("prefers later sources, but never a project over the bundled one [30:7.1]", async () => {
    await using stage = await pluginStage();
    await stage.write({
      "bundled/a/plugin.yaml": "name: a\nversion: 1.0.0",
      "bundled/b/plugin.yaml": "name: b\nversion: 1.0.0",
      "plugins/b/plugin.yaml": "name: b\nversion: 2.0.0",
      "project/a/plugin.yaml": "name: a\nversion: 3.0.0",
      "plugins/kind/c/plugin.yaml": "name: anything",
      "node_modules/p/package.json": JSON.stringify({
        keywords: ["hermes-plugin"],
        hermes: { plugin: "./main.mjs", manifest: "./plugin.yaml" },
      }),
      "node_modules/p/plugin.yaml": "name: p\nversion: 4.0.0",
      "node_modules/p/main.mjs": module(tool("from_package")),
      "node_modules/evil/package.json": JSON.stringify({
        keywords: ["hermes-plugin"],
        hermes: { plugin: "../../x.mjs" },
      }),
      "node_modules/other/package.json": JSON.stringify({ hermes: { plugin: "./main.mjs" } }),
    });
    const at = (folder: string) => join(stage.home, folder);
    const locations = {
      bundled: at("bundled"),
      user: at("plugins"),
      project: at("project"),
      packages: at("node_modules"),
    };
    const host = stage.host(["p"], { locations });
    await host.load();
    const rows = Object.fromEntries(host.list.map(({ key, source, version }) => [key, `${source} ${version}`]));
    expect(rows).toMatchObject({ a: "bundled 1.0.0", b: "user 2.0.0", "kind/c": "user 0.0.0", p: "package 4.0.0" });
    expect(host.list.find((one) => one.key === "evil")?.state.kind).toBe("failed");
    expect(stage.registry.snapshot().tools.has("from_package")).toBe(true);
  });

  it("loads bundled backends by itself and only records exclusive ones [30:7.1]", async () => {
    await using stage = await pluginStage();
    await stage.write({
      "bundled/back/plugin.yaml": "name: back\nkind: backend",
      "bundled/back/index.mjs": module(tool("b")),
      "plugins/memory/only/plugin.yaml": "name: only\nkind: exclusive",
      "plugins/memory/only/index.mjs": module(tool("m")),
    });
    const host = stage.host(["memory/only"], {
      locations: { bundled: join(stage.home, "bundled"), user: join(stage.home, "plugins") },
    });
    await host.load();
    expect(host.list.map(({ state }) => state.kind)).toEqual(["enabled", "recorded"]);
    expect(await host.enable("memory/only")).toEqual({ kind: "enabled" });
    expect([...stage.registry.snapshot().tools.keys()]).toEqual(["b", "m"]);
  });

  it("refuses manifests it cannot understand, and says why [30:7.3]", async () => {
    await using stage = await pluginStage();
    await stage.write({
      "plugins/new/plugin.yaml": "name: new\nmanifest_version: 9",
      "plugins/odd/plugin.yaml": "name: [",
      "plugins/path/plugin.yaml": "name: ../up",
    });
    const host = stage.host(["new", "odd", "path"]);
    await host.load();
    expect(host.list.map(({ state }) => (state.kind === "failed" ? state.reason : ""))).toEqual([
      "it needs manifest version 9; this program knows 1",
      expect.stringContaining("not valid YAML"),
      expect.stringContaining("not a plugin name"),
    ]);
  });
});

describe("what a plugin registers", () => {
  it("goes when the plugin is disabled, and runs anew when it is enabled again [30:7.4]", async () => {
    await using stage = await pluginStage();
    await stage.write({
      "plugins/a/plugin.yaml": "name: a",
      "plugins/a/index.mjs": module(
        `${tool("x")} ctx.registerHook("pre_llm_call", () => "hi"); ctx.registerSkill("s", "skill", "d"); ctx.onDispose(() => ctx.logger.info("gone"));`,
      ),
    });
    const host = stage.host(["a"]);
    await host.load();
    expect([...stage.contributions.skills.values()]).toEqual([
      { name: "a:s", path: join(stage.home, "plugins", "a", "skill"), description: "d" },
    ]);
    await host.disable("a");
    expect(stage.registry.snapshot().tools.size).toBe(0);
    expect(stage.contributions.skills.size).toBe(0);
    expect(stage.hooks.has("pre_llm_call")).toBe(false);
    expect(stage.logger.lines.some((line) => line.message === "gone")).toBe(true);
    await stage.write({ "plugins/a/index.mjs": module(tool("z")) });
    await host.enable("a");
    expect([...stage.registry.snapshot().tools.keys()]).toEqual(["z"]);
  });

  it("never takes a built-in tool's name unless the manifest says so [30:7.3]", async () => {
    await using stage = await pluginStage();
    stage.registry.register(fakeTool("read_file"));
    stage.registry.register(fakeTool("patch"));
    await stage.write({
      "plugins/a/plugin.yaml": "name: a\noverrides_tools: [patch]",
      "plugins/a/index.mjs": module(`${tool("read_file")} ${tool("patch")}`),
    });
    await stage.host(["a"]).load();
    const origin = (name: string) => stage.registry.snapshot().tools.get(name)?.origin;
    expect([origin("read_file"), origin("patch")]).toEqual([undefined, "plugin"]);
  });

  it("that the manifest does not name is warned about [30:7.3]", async () => {
    await using stage = await pluginStage();
    await stage.write({
      "plugins/a/plugin.yaml": "name: a\nprovides_tools: [other]",
      "plugins/a/index.mjs": module(tool("x")),
    });
    await stage.host(["a"]).load();
    expect(stage.logger.lines.map((line) => line.message)).toContain(
      "plugin registers a tool its manifest does not name",
    );
  });

  it("counts once for memory: a second provider is refused with a warning [30:7.4] [30:7.7-8]", async () => {
    await using stage = await pluginStage();
    const provider = (name: string) => module(`ctx.registerMemoryProvider({ name: "${name}" });`);
    await stage.write({
      "plugins/a/plugin.yaml": "name: a",
      "plugins/a/index.mjs": provider("first"),
      "plugins/b/plugin.yaml": "name: b",
      "plugins/b/index.mjs": provider("second"),
    });
    const host = stage.host(["a", "b"]);
    await host.load();
    expect(stage.contributions.memoryProvider?.name).toBe("first");
    expect(stage.logger.lines.at(-1)?.message).toContain("memory provider");
    await host.disable("b");
    expect(stage.contributions.memoryProvider?.name).toBe("first");
  });

  it("may not be a command that exists already [30:7.4] [30:7.7-9] [20:R9.10]", async () => {
    await using stage = await pluginStage();
    await stage.write({
      "plugins/a/plugin.yaml": "name: a",
      "plugins/a/index.mjs": module(
        `ctx.registerCommand("/help", () => ""); ctx.registerCommand("/My Words", () => "ok");`,
      ),
    });
    await stage.host(["a"]).load();
    expect([...stage.contributions.commands.keys()]).toEqual(["my-words"]);
  });

  it("reads its own configuration, folder and conversation [30:7.4]", async () => {
    await using stage = await pluginStage();
    await stage.write({
      "plugins/a/plugin.yaml": "name: a",
      "plugins/a/index.mjs": module(
        `${tool("x", `async () => ({ config: ctx.config, dir: ctx.dataDir, sent: ctx.injectMessage("hi", "system"), ran: await ctx.dispatchTool("y", {}) })`)}`,
      ),
    });
    const sent: string[] = [];
    const host = stage.host(["a"], {
      wiring: {
        config: { a: { size: 3 } },
        sessions: {
          location: () => undefined,
          callTool: ({ tool }, { scope, taskId }) => Promise.resolve(`ran ${tool} for ${scope.key} in ${taskId}`),
        },
      },
    });
    await host.load();
    const scope = testScope({ key: "mine", deliver: ({ text }) => sent.push(text) > 0 });
    expect(await run(stage, "x", scope)).toEqual({
      config: { size: 3 },
      dir: join(stage.home, "plugin-data", "a"),
      sent: true,
      ran: "ran y for mine in t",
    });
    expect(sent).toEqual(["[system] hi"]);
  });
});

describe("tools of plugins in a turn", () => {
  it("give plain text as a result [30:7.7-12]", async () => {
    await using stage = await pluginStage();
    await stage.write({ "plugins/a/plugin.yaml": "name: a", "plugins/a/index.mjs": module(tool("x")) });
    await stage.host(["a"]).load();
    expect(await run(stage, "x")).toEqual({ result: "hello" });
  });

  it("are blocked by a hook, which is asked once, and then do not run [30:7.5] [30:7.7-6]", async () => {
    await using stage = await pluginStage();
    let asked = 0;
    let ran = 0;
    stage.registry.register(fakeTool("terminal", { execute: () => Promise.resolve({ content: ++ran }) }));
    stage.hooks.on("pre_tool_call", () => ({ action: "block", message: ++asked && "no" }), { owner: "a" });
    expect(await run(stage, "terminal")).toEqual({ error: "no" });
    expect([asked, ran]).toEqual([1, 0]);
  });

  it("get the arguments as the model wrote them, whatever a hook does to its copy [30:7.5] [30:7.7-11]", async () => {
    await using stage = await pluginStage();
    stage.registry.register(fakeTool("terminal", { execute: (args) => Promise.resolve({ content: { ...args } }) }));
    stage.hooks.on(
      "pre_tool_call",
      (payload) => {
        (payload as { args: { command: string } }).args.command = "changed";
      },
      { owner: "a" },
    );
    expect(await runWith(stage, { name: "terminal", args: { command: "ls" } })).toEqual({ command: "ls" });
    expect(stage.logger.lines.some((line) => line.message === "hook failed and was skipped")).toBe(true);
  });

  it("get the arguments a hook asked for, with their types corrected like the model's own [30:7.5]", async () => {
    await using stage = await pluginStage();
    const parameters = { type: "object", properties: { size: { type: "integer" } } };
    const echo = fakeTool("echo", { parameters, execute: (args) => Promise.resolve({ content: { ...args } }) });
    stage.registry.register(echo);
    stage.hooks.on("pre_tool_call", () => ({ action: "modify", args: { size: "7" } }), { owner: "a" });
    expect(await runWith(stage, { name: "echo", args: { size: 1 } })).toEqual({ size: 7 });
  });

  it("have their results replaced by the first transformer [30:7.5]", async () => {
    await using stage = await pluginStage();
    stage.registry.register(fakeTool("x"));
    const seen: unknown[] = [];
    stage.hooks.on("post_tool_call", (payload) => void seen.push(payload), { owner: "a" });
    stage.hooks.on("transform_tool_result", () => '{"a":1}', { owner: "a" });
    stage.hooks.on("transform_tool_result", () => '{"b":2}', { owner: "b" });
    expect(await run(stage, "x")).toEqual({ a: 1 });
    expect(seen).toMatchObject([{ tool_name: "x", task_id: "t", session_id: "s", result: '{"ok":"x"}' }]);
  });
});

describe("the terminal part of a plugin", () => {
  const tui = (body: string) => `export const extensions = ${body};\n`;

  it("is imported only when a terminal asks, and only of plugins that are loaded [20:R10.44]", async () => {
    await using stage = await pluginStage();
    await stage.write({
      "plugins/a/plugin.yaml": "name: a\ntui: ./tui.mjs",
      "plugins/a/index.mjs": module(""),
      "plugins/a/tui.mjs": tui(
        "(ctx) => [{ name: ctx.manifest.name, extraWidgets: () => [] }, { styles: () => ({}) }]",
      ),
      "plugins/b/plugin.yaml": "name: b\ntui: ./tui.mjs",
      "plugins/b/tui.mjs": tui("{ name: 'only-terminal' }"),
      "plugins/off/plugin.yaml": "name: off\ntui: ./tui.mjs",
      "plugins/off/tui.mjs": "throw new Error('imported');",
    });
    const imported: string[] = [];
    const importModule = (url: string): Promise<unknown> => {
      imported.push(url);
      return import(url);
    };
    const host = stage.host(["a", "b"], { importModule });
    await host.load();
    expect(host.list.map(({ key, state }) => [key, state.kind])).toEqual([
      ["a", "enabled"],
      ["b", "enabled"],
      ["off", "not enabled"],
    ]);
    expect(imported.filter((url) => url.includes("tui.mjs"))).toEqual([]);
    expect(await host.terminalExtensions()).toMatchObject([
      { kind: "loaded", plugin: "a", extensions: [{ name: "a" }, {}] },
      { kind: "loaded", plugin: "b", extensions: [{ name: "only-terminal" }] },
    ]);
  });

  it("that fails, or lies elsewhere, or would need another process, is named and left out [20:R10.44]", async () => {
    await using stage = await pluginStage();
    await stage.write({
      "plugins/bad/plugin.yaml": "name: bad\ntui: tui.mjs",
      "plugins/bad/tui.mjs": "throw new Error('broke');",
      "plugins/empty/plugin.yaml": "name: empty\ntui: tui.mjs",
      "plugins/empty/tui.mjs": "export const other = 1;",
      "plugins/out/plugin.yaml": "name: out\ntui: ../bad/tui.mjs",
    });
    const host = stage.host(["bad", "empty", "out"]);
    await host.load();
    expect(host.list.find(({ key }) => key === "out")?.state).toMatchObject({ kind: "failed" });
    expect(await host.terminalExtensions()).toEqual([
      { kind: "left-out", plugin: "bad", reason: "broke" },
      { kind: "left-out", plugin: "empty", reason: "its terminal module exports no extensions" },
    ]);
    const isolated = stage.host(["bad"], { isolation: "process" });
    await isolated.load();
    expect(await isolated.terminalExtensions()).toMatchObject([
      { kind: "left-out", plugin: "bad", reason: expect.stringContaining("plugins.isolation") },
    ]);
  });

  it("of a project is trusted with its module: a change asks again [20:R10.44]", async () => {
    await using stage = await pluginStage();
    await stage.write({
      "project/p/plugin.yaml": "name: p\ntui: tui.mjs",
      "project/p/index.mjs": module(""),
      "project/p/tui.mjs": tui("[]"),
    });
    const folder = join(stage.home, "project/p");
    const found = {
      key: "p",
      source: "project" as const,
      folder,
      entry: join(folder, "index.mjs"),
      tui: join(folder, "tui.mjs"),
      manifest: { name: "p" } as never,
    };
    await stage.trust.trust(found);
    expect(await stage.trust.isTrusted(found)).toBe(true);
    await stage.write({ "project/p/tui.mjs": tui("[{}]") });
    expect(await stage.trust.isTrusted(found)).toBe(false);
  });
});

describe("the example plugin", () => {
  it("loads from where it is, counts, tallies and leaves nothing behind [30:7.2]", async () => {
    await using stage = await pluginStage();
    const examples = fileURLToPath(new URL("../../examples/plugins", import.meta.url));
    const host = stage.host(["word-count"], { locations: { user: examples } });
    await host.load();
    expect(host.list.find(({ key }) => key === "word-count")).toMatchObject({
      version: "1.0.0",
      state: { kind: "enabled" },
    });
    expect(await runWith(stage, { name: "word_count", args: { text: "one two\nthree 🚀" } })).toEqual({
      words: 4,
      lines: 2,
      characters: 15,
    });
    expect(await stage.contributions.commands.get("tally")?.handler("")).toBe("word_count: 1");
    expect(stage.logger.lines.filter((line) => line.level !== "debug" && line.level !== "info")).toEqual([]);
    await host[Symbol.asyncDispose]();
    expect(stage.registry.snapshot().tools.size).toBe(0);
    expect(stage.contributions.commands.size).toBe(0);
  });
});

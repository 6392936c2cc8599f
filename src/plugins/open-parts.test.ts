import { cp } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import type { Approver, Toolbox } from "#tools";
import { type ToolStage, toolStage } from "#tools/testing";
import { Plugins, type PluginsOptions } from "./open.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The tools of a process together with its plugins. */
async function open(
  stage: ToolStage,
  options: Pick<PluginsOptions, "confirmHook"> = {},
): Promise<Toolbox & { readonly plugins: Plugins }> {
  const plugins = new Plugins(await stage.machine(), { builtinCommands: async () => new Set(), ...options });
  const toolbox = await stage.open({ extensions: (sessions) => plugins.extensions(sessions) });
  await plugins.load(toolbox, never);
  return { ...toolbox, plugins };
}

const denying: Approver = { ask: () => Promise.resolve("deny") };

/** A plugin that writes down what it hears at these hooks. */
function listener(...names: readonly string[]): Readonly<Record<string, string>> {
  const hooks = names.map((name) => `ctx.registerHook(${JSON.stringify(name)}, note);`).join("\n");
  return {
    "config.yaml": "plugins: {enabled: [listener]}\n",
    "plugins/listener/plugin.yaml": "name: listener\nversion: 1.0.0\nmanifest_version: 1\n",
    "plugins/listener/index.mjs": `import { appendFileSync } from "node:fs";
export const register = (ctx) => {
  const note = (payload) => appendFileSync(ctx.dataDir + "/heard", JSON.stringify(payload) + "\\n");
  ${hooks}
};`,
  };
}

async function heardBy(stage: ToolStage): Promise<readonly unknown[]> {
  const text = await stage.read("plugin-data/listener/heard");
  return text
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
}

describe("scripts", () => {
  it("call tools through hooks, approval and audit [30:3.7]", async () => {
    await using stage = await toolStage({ "junk/file": "x", ...listener("pre_tool_call") });
    const toolbox = await open(stage);
    const code = 'from hermes_tools import terminal\nprint(terminal("rm -rf ../.hermes/junk"))';
    expect(await stage.call(toolbox, "execute_code", { code })).toContain("not run");
    expect(await heardBy(stage)).toMatchObject([
      { tool_name: "execute_code" },
      { tool_name: "terminal", session_id: "session" },
    ]);
    expect(await stage.read("junk/file")).toBe("x");
  });
});

describe("plugins", () => {
  const withWordCount = async (config: string) => {
    const stage = await toolStage({ "config.yaml": config });
    await cp(path.join(root, "examples/plugins/word-count"), path.join(stage.home.plugins, "word-count"), {
      recursive: true,
    });
    return stage;
  };

  it("bring their tools, commands and hooks when they are enabled [30:7.1] [30:7.4]", async () => {
    await using stage = await withWordCount("plugins: {enabled: [word-count]}\n");
    const toolbox = await open(stage);
    expect(await stage.call(toolbox, "word_count", { text: "one two" })).toContain('"words":2');
    const [command] = toolbox.plugins.commands;
    expect(command?.name).toBe("tally");
    expect(await command?.handler("", "cli")).toBe("word_count: 1");
  });

  it("may change what commands print [30:7.5]", async () => {
    await using stage = await toolStage({
      "config.yaml": "plugins: {enabled: [painter]}\n",
      "plugins/painter/plugin.yaml": "name: painter\nversion: 1.0.0\nmanifest_version: 1\n",
      "plugins/painter/index.mjs":
        'export const register = (ctx) => ctx.registerHook("transform_terminal_output", () => "changed");',
    });
    expect(await stage.call(await open(stage), "terminal", { command: "echo plain" })).toContain("changed");
  });

  it("images come from a plugin when it is the named service [30:3.17] [30:7.4]", async () => {
    await using stage = await toolStage({
      "config.yaml": "image_gen: {provider: painter}\nplugins: {enabled: [painter]}\n",
      "plugins/painter/plugin.yaml": "name: painter\nversion: 1.0.0\nmanifest_version: 1\n",
      "plugins/painter/index.mjs":
        'export const register = (ctx) => ctx.registerImageGenProvider({ name: "painter", isAvailable: () => true, generate: ({ prompt }) => Promise.resolve("/pictures/" + prompt + ".png") });',
    });
    const text = await stage.call(await open(stage), "image_generate", { prompt: "cat" });
    expect(text).toContain('"file_path":"/pictures/cat.png"');
  });

  it("bring nothing when they are not [30:7.1]", async () => {
    await using stage = await withWordCount("plugins: {enabled: [missing]}\n");
    const toolbox = await open(stage);
    expect((await toolbox.list({}, stage.scope(), never)).names).not.toContain("word_count");
    expect(toolbox.plugins.commands).toEqual([]);
    expect(stage.notices).toEqual(["plugins.enabled names missing, but there is no such plugin."]);
  });

  it("are chosen by other settings where these name one: memory and context [30:7.1]", async () => {
    const manifest = (name: string) => `name: ${name}\nversion: 1.0.0\nkind: exclusive\nmanifest_version: 1\n`;
    await using stage = await toolStage({
      "config.yaml":
        "memory: {provider: elsewhere}\ncontext: {engine: shorter}\nplugins: {settings: {elsewhere: {api_key: key-0123456789}}}\n",
      "plugins/memory/elsewhere/plugin.yaml": manifest("elsewhere"),
      "plugins/memory/elsewhere/index.mjs":
        'export const register = (ctx) => ctx.registerMemoryProvider({ name: "elsewhere", isAvailable: () => true, config: ctx.config });',
      "plugins/context/shorter/plugin.yaml": manifest("shorter"),
      "plugins/context/shorter/index.mjs":
        'export const register = (ctx) => ctx.registerContextEngine({ name: "shorter", compress() {}, shouldCompress() {}, updateFromResponse() {} });',
      "plugins/context/other/plugin.yaml": manifest("other"),
      "plugins/context/other/index.mjs": 'export const register = () => { throw new Error("not chosen"); };',
    });
    const toolbox = await open(stage);
    expect(toolbox.plugins.memoryProviders).toMatchObject([{ name: "elsewhere" }]);
    expect(toolbox.plugins.contextEngines).toMatchObject([{ name: "shorter" }]);
    expect(stage.notices).toEqual([]);
  });

  it("hear of approvals [30:7.5]", async () => {
    await using stage = await toolStage(listener("approval_requested", "approval_resolved"));
    const call = stage.as({ approver: denying });
    await call(await open(stage), "terminal", { command: "rm -rf ../.hermes/junk" });
    expect(await heardBy(stage)).toMatchObject([{ command: "rm -rf ../.hermes/junk" }, { choice: "deny" }]);
  });
});

describe("shell hooks", () => {
  const config = (more = "") =>
    `${more}hooks:\n  pre_tool_call:\n    - {matcher: terminal, command: "/bin/echo '{\\"action\\":\\"block\\",\\"message\\":\\"not today\\"}'"}\n`;

  it("run when somebody has agreed, and block calls [30:7.5]", async () => {
    await using stage = await toolStage({ "config.yaml": config() });
    const asked: string[] = [];
    const confirmHook = (event: string) => Promise.resolve(asked.push(event) > 0);
    const toolbox = await open(stage, { confirmHook });
    expect(await stage.call(toolbox, "terminal", { command: "true" })).toContain("not today");
    const again = await open(stage, { confirmHook });
    expect(await stage.call(again, "terminal", { command: "true" })).toContain("not today");
    expect(asked).toEqual(["pre_tool_call"]);
  });

  it("do not run when nobody has, and that is said [30:7.5]", async () => {
    await using stage = await toolStage({ "config.yaml": config() });
    const toolbox = await open(stage);
    expect(await stage.call(toolbox, "terminal", { command: "true" })).toContain('"exit_code":0');
    expect(stage.notices).toContain(
      "1 of 1 shell hooks do not run: nobody has allowed them yet. See: hermes hooks list",
    );
  });
});

import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { isRecord } from "#foundation/text/json";
import type { Tool } from "#tools";
import { registryOf, runTool, toolContext } from "#tools/testing";
import { pluginStage } from "./testing.ts";

const root = join(import.meta.dirname, "../..");
const guide = (name: string) => readFileSync(join(root, "docs/guide/extending", name), "utf8");

/** The text of a block as it is printed. */
function block(text: string, heading: string): string {
  const start = text.indexOf(`\`\`\`${heading}\n`);
  if (start < 0) throw new Error(`the guide has no block "${heading}"`);
  const from = start + heading.length + 4;
  return text.slice(from, text.indexOf("\n```", from) + 1);
}

function expectPathsExist(text: string, except: readonly string[] = []): void {
  const paths = [...text.matchAll(/`((?:src|examples)\/[\w/.-]+)`/g)].map((match) => match[1] ?? "");
  expect(paths.filter((path) => !except.includes(path) && !existsSync(join(root, path)))).toEqual([]);
}

describe("the guide to adding a tool, followed", () => {
  const text = guide("add-a-tool.md");
  const location = "src/tools/builtin/roll-dice.tool.ts";

  it("gives a file that compiles, registers and does what it says [30:REG-10]", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hermes-guide-"));
    try {
      // Outside the source tree its neighbours are found by their full paths; nothing else is changed.
      const file = join(folder, "roll-dice.tool.ts");
      const code = block(text, `ts file=${location}`)
        .replaceAll('"../', `"${join(root, "src/tools")}/`)
        .replaceAll('"./', `"${join(root, "src/tools/builtin")}/`);
      await writeFile(file, code);
      const loaded: unknown = await import(/* @vite-ignore */ pathToFileURL(file).href);
      const createRollDiceTool =
        isRecord(loaded) || typeof loaded === "object"
          ? Reflect.get(loaded as object, "createRollDiceTool")
          : undefined;
      const { registry } = registryOf();
      const builtin = Reflect.get(loaded as object, "builtin") as (deps: object) => readonly Tool[];
      for (const tool of builtin({})) registry.register(tool);
      expect(registry.snapshot().tools.get("roll_dice")?.toolset).toBe("games");
      const run = new Function(
        "createRollDiceTool",
        "runTool",
        `return (async () => { ${block(text, "ts try")} return { tool, content }; })()`,
      );
      const { tool, content } = (await run(createRollDiceTool, runTool)) as { tool: Tool; content: unknown };
      expect(content).toEqual({ dice: [4, 4, 4], sum: 12 });
      await expect(runTool(tool, { count: 0 })).rejects.toThrow("count must be between 1 and 100, not 0.");
      await expect(runTool(tool, { count: "many" })).rejects.toThrow('count must be a number, not "many"');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("names files that exist", () => expectPathsExist(text, [location]));
});

describe("the guide to adding a plugin, followed", () => {
  const text = guide("add-a-plugin.md");

  it("gives a plugin that loads without a warning and works [30:7.2] [30:7.3]", async () => {
    await using stage = await pluginStage();
    await stage.write({
      "plugins/shout/plugin.yaml": block(text, "yaml file=shout/plugin.yaml"),
      "plugins/shout/index.mjs": block(text, "js file=shout/index.mjs"),
    });
    const config = parse(block(text, "yaml enable")) as { plugins: { enabled: string[] } };
    const host = stage.host(config.plugins.enabled);
    await host.load();
    expect(host.list.map(({ key, state, permissions }) => [key, state.kind, permissions])).toEqual([
      ["shout", "enabled", ["tools", "hooks:block"]],
    ]);
    expect(stage.logger.lines.filter((line) => line.level === "warn" || line.level === "error")).toEqual([]);
    const shout = stage.registry.snapshot().tools.get("shout");
    expect((await shout?.execute({ text: "hey" }, toolContext()))?.content).toBe("HEY");
    const call = { tool_name: "shout", task_id: "t", session_id: "s", tool_call_id: "c" };
    const signal = new AbortController().signal;
    expect(await stage.hooks.beforeToolCall({ ...call, args: { text: "x".repeat(1001) } }, signal)).toEqual({
      kind: "block",
      message: "Too long to shout.",
    });
    expect(await stage.contributions.commands.get("whisper")?.handler("LOUD")).toBe("loud");
  });

  it("gives a package that is found [30:7.2]", async () => {
    await using stage = await pluginStage();
    const fields = JSON.parse(block(text, "json package"));
    await stage.write({
      "node_modules/shout/package.json": JSON.stringify({ keywords: ["hermes-plugin"], ...fields }),
      "node_modules/shout/plugin.yaml": block(text, "yaml file=shout/plugin.yaml"),
      "node_modules/shout/index.mjs": block(text, "js file=shout/index.mjs"),
    });
    await mkdir(join(stage.home, "plugins"));
    const locations = { user: join(stage.home, "plugins"), packages: join(stage.home, "node_modules") };
    const host = stage.host(["shout"], { locations });
    await host.load();
    expect(host.list.map(({ source, state }) => [source, state.kind])).toEqual([["package", "enabled"]]);
  });

  it("names files that exist", () => expectPathsExist(text));
});

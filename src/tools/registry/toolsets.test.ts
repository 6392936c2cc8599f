import { describe, expect, it } from "vitest";
import type { Tool } from "../contract/tool.ts";
import { fakeTool, registryOf } from "../testing.ts";
import { distributions, drawToolsets, findDistribution } from "./distributions.ts";
import { pluginToolsets, surfaceToolsets } from "./surface-toolsets.ts";
import { coreTools } from "./toolset-catalogue.ts";
import { type CustomToolsets, Toolsets } from "./toolsets.ts";

const toolsets = (custom: CustomToolsets = {}, ...tools: readonly Tool[]) =>
  new Toolsets(registryOf(...tools).registry.snapshot(), custom);

describe("toolsets", () => {
  it("expand what they include, sorted and once [30:2.1] [30:2.7-1] [30:2.7-2] [30:TS-01]", () => {
    expect(toolsets().resolve("debugging")).toEqual([
      "patch",
      "process",
      "read_file",
      "search_files",
      "terminal",
      "web_extract",
      "web_search",
      "write_file",
    ]);
    expect(toolsets().resolve("safe")).toEqual(["image_generate", "vision_analyze", "web_extract", "web_search"]);
    expect(toolsets().resolve("nope")).toEqual([]);
  });

  it("have presets of the documented sizes [30:2.2] [30:2.7-3]", () => {
    // The documented 38, and the tool that reads shortened messages again.
    expect(new Set(coreTools).size).toBe(39);
    expect(toolsets().resolve("hermes-acp")).toHaveLength(30);
    expect(toolsets().resolve("hermes-api-server")).toHaveLength(36);
    expect(toolsets().resolve("hermes-acp")).not.toContain("clarify");
    expect(toolsets().resolve("hermes-gateway")).toEqual(expect.arrayContaining(["discord_admin", "feishu_doc_read"]));
  });

  it("keep their older names, with what they held then [30:2.3] [30:2.7-12]", () => {
    expect(toolsets().resolve("terminal_tools")).toEqual(["terminal"]);
    expect(toolsets().resolve("file_tools")).toEqual(["patch", "read_file", "search_files", "write_file"]);
    expect(toolsets().resolve("browser_tools")).toHaveLength(10);
    const older = "web vision moa image skills cronjob rl tts".split(" ").map((name) => `${name}_tools`);
    for (const name of older) expect([name, toolsets().resolve(name).length > 0]).toEqual([name, true]);
  });

  it("know all, star, static, registered and aliased names [30:TS-02] [30:TS-03]", () => {
    const { registry } = registryOf(fakeTool("mcp_x_read", { toolset: "mcp-x", origin: "mcp" }));
    registry.aliasToolset("x", "mcp-x");
    const all = new Toolsets(registry.snapshot());
    expect(["all", "*", "web", "mcp-x", "x", "web_tools"].every((name) => all.isKnown(name))).toBe(true);
    expect(all.isKnown("nope")).toBe(false);
    expect(all.resolve("x")).toEqual(["mcp_x_read"]);
    expect(all.resolve("*")).toEqual(expect.arrayContaining(["mcp_x_read", "terminal"]));
  });

  it("may be the user's own, of toolsets and tools, also in a circle [30:2.7-4] [30:TS-01] [30:TS-04]", () => {
    const own = toolsets({ A: ["B", "web"], B: ["A", "one_tool"], web: ["todo"] }, fakeTool("one_tool"));
    expect(own.resolve("A")).toEqual(["one_tool", "todo"]);
    expect(own.resolve("B")).toEqual(["one_tool", "todo"]);
    expect(own.shadowed).toEqual(["web"]);
  });
});

describe("the toolsets of a surface", () => {
  const none = { pluginToolsets: [], knownPluginToolsets: [], mcpServers: [] };
  const on = (wanted: object) => surfaceToolsets({ surface: "cli", ...none, ...wanted }, toolsets());

  it("are those of its preset, without what is off by default [30:2.5] [30:2.7-6]", () => {
    const names = on({ listed: ["hermes-cli"] });
    expect(names).toEqual(on({}));
    for (const off of ["moa", "homeassistant", "rl", "spotify"]) expect(names).not.toContain(off);
    expect(names).toEqual(expect.arrayContaining(["web", "terminal", "file", "browser", "todo"]));
  });

  it("are exactly the listed ones when any is named [30:2.5] [30:2.7-7] [30:2.7-8] [30:2.7-9]", () => {
    expect(on({ listed: ["web", "file"] })).toEqual(["web", "file"]);
    expect(on({ listed: ["web", "file"], mcpServers: ["a", "b"] })).toEqual(["web", "file", "mcp-a", "mcp-b"]);
    expect(on({ listed: ["web", "a"], mcpServers: ["a", "b"] })).toEqual(["web", "mcp-a"]);
    expect(on({ listed: ["web", "no_mcp"], mcpServers: ["a", "b"] })).toEqual(["web"]);
    expect(on({ listed: ["discord"] })).not.toContain("discord");
    expect(on({ listed: ["web", "mine"] })).toEqual(["web", "mine"]);
  });

  it("include a plugin's until the user has been asked and said no", () => {
    expect(on({ listed: ["web"], pluginToolsets: ["p"] })).toContain("p");
    expect(on({ listed: ["web"], pluginToolsets: ["p"], knownPluginToolsets: ["p"] })).not.toContain("p");
    expect(on({ listed: ["web", "p"], pluginToolsets: ["p"], knownPluginToolsets: ["p"] })).toContain("p");
  });

  it("are the terminal's where there is no preset, as for a program that uses the library", () => {
    expect(on({ surface: "library" })).toEqual(on({ surface: "cli" }));
    expect(on({ surface: "telegram", listed: ["web"] })).toEqual(["web"]);
  });

  it("name those that only plugins brought along", () => {
    const tool = (name: string, more: Partial<Tool>): Tool => ({ ...fakeTool(name), ...more });
    const { registry } = registryOf(
      tool("a", { toolset: "counting", origin: "plugin" }),
      tool("b", { toolset: "counting", origin: "plugin" }),
      tool("c", { toolset: "web", origin: "plugin" }),
      tool("d", { toolset: "far", origin: "mcp" }),
      tool("e", { toolset: "own" }),
    );
    expect(pluginToolsets(registry.snapshot())).toEqual(["counting"]);
  });

  it("include what belongs to that surface alone", () => {
    expect(surfaceToolsets({ surface: "feishu", ...none }, toolsets())).toEqual(
      expect.arrayContaining(["feishu_doc", "feishu_drive"]),
    );
    expect(surfaceToolsets({ surface: "homeassistant", ...none }, toolsets())).toContain("homeassistant");
  });
});

describe("distributions", () => {
  it("draw each toolset by its own chance, never none [30:2.6] [50:2.12.6]", () => {
    expect(drawToolsets(findDistribution("research"), () => 0.999)).toEqual(["web"]);
    expect(drawToolsets(findDistribution("research"), () => 0)).toHaveLength(5);
    expect(drawToolsets(findDistribution("minimal"), () => 0.999)).toEqual(["web"]);
    expect(drawToolsets(findDistribution("creative"), () => 0.99)).toEqual(["image_gen"]);
    expect(drawToolsets(findDistribution("research"), () => 0.6)).toEqual(["web", "browser"]);
    expect(Object.keys(distributions)).toHaveLength(17);
  });

  it("name the known ones when asked for another", () => {
    expect(() => findDistribution("minmal")).toThrow("Unknown distribution: minmal");
  });
});

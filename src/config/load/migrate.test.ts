import { describe, expect, test } from "vitest";
import { migrateFile } from "../edit/migrate-file.ts";
import { TempHome } from "../testing.ts";
import type { Tree } from "../tree.ts";
import { migrate } from "./migrate.ts";

const run = (tree: Tree, facts: { variables?: Record<string, string>; installedPlugins?: string[] } = {}) =>
  migrate(tree, { variables: {}, installedPlugins: [], ...facts });

describe("[20:R7.23] older layouts", () => {
  test.each<[string, Tree, Tree]>([
    [
      "13 to 14: a local speech model",
      { _config_version: 13, stt: { model: "small" } },
      { stt: { local: { model: "small" } } },
    ],
    [
      "13 to 14: a hosted one",
      { _config_version: 13, stt: { model: "whisper-1" } },
      { stt: { openai: { model: "whisper-1" } } },
    ],
    [
      "15 to 16: tool lines per platform",
      { _config_version: 15, display: { tool_progress_overrides: { slack: "off" } } },
      { display: { platforms: { slack: { tool_progress: "off" } } } },
    ],
    [
      "16 to 17: the summary model",
      { _config_version: 16, compression: { summary_model: "x", summary_provider: "auto", threshold: 0.6 } },
      { compression: { threshold: 0.6 }, auxiliary: { compression: { model: "x" } } },
    ],
    [
      "16 to 17: a newer value wins",
      { _config_version: 16, compression: { summary_model: "old" }, auxiliary: { compression: { model: "new" } } },
      { compression: {}, auxiliary: { compression: { model: "new" } } },
    ],
    [
      "11 to 12: named endpoints",
      {
        _config_version: 11,
        custom_providers: [{ name: "My Box", base_url: "http://a/v1", model: "m" }, { base_url: "x" }],
      },
      {
        providers: { "my-box": { name: "My Box", base_url: "http://a/v1", default_model: "m" } },
        custom_providers: [{ base_url: "x" }],
      },
    ],
  ])("%s", (_name, before, expected) => {
    const { tree } = run(before);
    expect(tree).toEqual({ _config_version: before._config_version, ...expected });
  });

  test("3 to 5: settings that were variables", () => {
    const variables = { HERMES_TOOL_PROGRESS: "true", HERMES_TOOL_PROGRESS_MODE: "new", HERMES_TIMEZONE: "Asia/Tokyo" };
    expect(run({ _config_version: 3 }, { variables }).tree).toEqual({
      _config_version: 3,
      display: { tool_progress: "new" },
      timezone: "Asia/Tokyo",
    });
    const off = run(
      { _config_version: 3, timezone: "UTC" },
      { variables: { ...variables, HERMES_TOOL_PROGRESS: "false" } },
    );
    expect(off.tree).toMatchObject({ display: { tool_progress: "off" }, timezone: "UTC" });
    expect(run({ _config_version: 5 }, { variables }).tree).toEqual({ _config_version: 5 });
  });

  test("8 to 9 and 12 to 13: variables that must not count any more", () => {
    expect(run({ _config_version: 8 }).cleared).toEqual(["ANTHROPIC_TOKEN", "LLM_MODEL", "OPENAI_MODEL"]);
    expect(run({ _config_version: 12 }).cleared).toEqual(["LLM_MODEL", "OPENAI_MODEL"]);
    expect(run({ _config_version: 13 }).cleared).toEqual([]);
  });

  test("14 to 15: notes between tool calls are shown without being asked for", async () => {
    using temp = new TempHome({ "config.yaml": "_config_version: 14\n" });
    expect((await temp.load()).config.display.interim_assistant_messages).toBe(true);
  });

  test("20 to 21: plugins stay enabled unless they were refused", () => {
    const before = { _config_version: 20, plugins: { disabled: ["b"] } };
    expect(run(before, { installedPlugins: ["a", "b"] }).tree.plugins).toEqual({ disabled: ["b"], enabled: ["a"] });
    expect(run({ _config_version: 21 }, { installedPlugins: ["a"] }).tree).toEqual({ _config_version: 21 });
  });

  test("[20:R7.24] migrations do not change what they are given", () => {
    const before: Tree = {
      _config_version: 11,
      custom_providers: [{ name: "a", base_url: "b" }],
      compression: { summary_model: "x" },
    };
    const copy = structuredClone(before);
    run(before);
    expect(before).toEqual(copy);
  });

  test("a file without a version has its keys renamed, and nothing taken away or allowed", () => {
    const before = { compression: { summary_model: "x" }, custom_providers: [{ name: "a", base_url: "b" }] };
    const result = run(before, { installedPlugins: ["a"], variables: { HERMES_TIMEZONE: "UTC" } });
    expect(result.tree).toEqual({
      compression: {},
      custom_providers: [{ name: "a", base_url: "b" }],
      auxiliary: { compression: { model: "x" } },
    });
    expect(result.cleared).toEqual([]);
  });
});

describe("config migrate", () => {
  test("[20:A7.9] rewrites the file key by key after a copy", async () => {
    const text =
      "# mine\n_config_version: 16 # old\ncompression:\n  # cheap\n  summary_model: x\n  threshold: 0.6 # half\nmodel: y\n";
    using temp = new TempHome({ "config.yaml": text });
    const result = await migrateFile({ home: temp.home, env: temp.env });
    expect(result).toMatchObject({ from: 16, hasChanged: true, backup: temp.home.at("config.yaml.v16.bak") });
    expect(temp.read("config.yaml.v16.bak")).toBe(text);
    expect(temp.read("config.yaml")).toBe(
      "# mine\n_config_version: 22 # old\ncompression:\n  # cheap\n  threshold: 0.6 # half\nmodel: y\nauxiliary:\n  compression:\n    model: x\n",
    );
    expect((await temp.load()).pendingMigrations).toEqual([]);
  });

  test("[20:R7.23] takes retired variables out of .env", async () => {
    using temp = new TempHome({
      "config.yaml": "_config_version: 8\n",
      ".env": "# k\nANTHROPIC_TOKEN=x\nA=1\nLLM_MODEL=y\n",
    });
    await migrateFile({ home: temp.home, env: temp.env });
    expect(temp.read(".env")).toBe("# k\nA=1\n");
  });

  test("[20:R7.23] lists the plugins that are there", async () => {
    using temp = new TempHome({ "config.yaml": "_config_version: 20\n", "plugins/mine/plugin.yaml": "" });
    await migrateFile({ home: temp.home, env: temp.env });
    expect(temp.read("config.yaml")).toBe("_config_version: 22\nplugins:\n  enabled:\n    - mine\n");
  });

  test("leaves a current or missing file alone", async () => {
    using temp = new TempHome();
    expect(await migrateFile({ home: temp.home, env: temp.env })).toMatchObject({
      hasChanged: false,
      backup: undefined,
    });
    expect(temp.has("config.yaml")).toBe(false);
    temp.write("config.yaml", "_config_version: 22\n");
    expect(await migrateFile({ home: temp.home, env: temp.env })).toMatchObject({
      hasChanged: false,
      backup: undefined,
    });
  });

  test("refuses a managed, newer or broken file", async () => {
    using temp = new TempHome({ "config.yaml": "_config_version: 30\n" });
    await expect(migrateFile({ home: temp.home, env: temp.env })).rejects.toMatchObject({
      code: "config_newer_version",
    });
    temp.write("config.yaml", "a: [\n");
    await expect(migrateFile({ home: temp.home, env: temp.env })).rejects.toMatchObject({ code: "config_parse_error" });
    const managed = { ...temp.env, HERMES_MANAGED: "brew" };
    await expect(migrateFile({ home: temp.home, env: managed })).rejects.toThrow(/Homebrew/);
  });
});

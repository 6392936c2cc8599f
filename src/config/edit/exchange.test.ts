import { describe, expect, test } from "vitest";
import { loadConfig } from "../load/load.ts";
import { TempHome } from "../testing.ts";
import { compareSettings, exportSettings, importSettings } from "./exchange.ts";

const load = (temp: TempHome) => loadConfig({ home: temp.home, env: temp.env });

const file = [
  "# mine",
  "_config_version: 22",
  "agent: { max_turns: 40 }",
  "custom_providers:",
  '  - { name: a, base_url: "http://127.0.0.1:9/v1", api_key: sk-a-secret }',
  "mcp_servers:",
  "  files: { command: npx, args: [serve], env: { API_TOKEN: secret-value } }",
  "",
].join("\n");

describe("settings as JSON", () => {
  test("[20:R13.1] hold what the file sets, and no credential", async () => {
    using temp = new TempHome({ "config.yaml": file });
    const { settings, withheld } = await exportSettings(await load(temp));
    expect(settings).toEqual({
      agent: { max_turns: 40 },
      mcp_servers: { files: { command: "npx", args: ["serve"] } },
    });
    expect(withheld).toEqual(["custom_providers", "mcp_servers.files.env"]);
  });

  test("[20:R13.1] change what they name and nothing else; older spellings are understood", async () => {
    using temp = new TempHome({ "config.yaml": file });
    const wanted = { max_turns: 50, display: { streaming: false } };
    const expected = [
      { key: "agent.max_turns", path: ["agent", "max_turns"], before: 40, after: 50 },
      { key: "display.streaming", path: ["display", "streaming"], before: true, after: false },
    ];
    expect((await compareSettings(wanted, await load(temp))).changes).toEqual(expected);
    expect(temp.read("config.yaml")).toBe(file);
    await importSettings(wanted, await load(temp), { home: temp.home, env: temp.env });
    expect(temp.read("config.yaml")).toBe(`${file.replace("40", "50")}display:\n  streaming: false\n`);
    expect(await importSettings(wanted, await load(temp), { home: temp.home, env: temp.env })).toEqual({
      changes: [],
      withheld: [],
    });
  });

  test("[20:R13.1] leave credentials as they are", async () => {
    using temp = new TempHome({ "config.yaml": file });
    const wanted = {
      custom_providers: [{ name: "b", base_url: "http://127.0.0.1:9/v1", api_key: "***" }],
      model: { api_key: "" },
    };
    const found = await importSettings(wanted, await load(temp), { home: temp.home, env: temp.env });
    expect(found).toEqual({ changes: [], withheld: ["custom_providers"] });
    expect(temp.read("config.yaml")).toBe(file);
  });

  test.each([
    [{ agent: { max_turns: "many" }, display: { streaming: false } }, "agent.max_turns takes a whole number"],
    [{ no_such: 1, display: { streaming: false } }, "There is no setting no_such."],
    [["agent"], "one JSON object"],
  ])("[20:A13.5] are refused as a whole: %j", async (wanted, words) => {
    using temp = new TempHome({ "config.yaml": file });
    const loaded = await load(temp);
    await expect(importSettings(wanted, loaded, { home: temp.home, env: temp.env })).rejects.toThrow(words);
    expect(temp.read("config.yaml")).toBe(file);
  });
});

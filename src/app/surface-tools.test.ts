import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { says, startModelServer } from "../../test/fakes/model-server/index.ts";
import { customModel, hermesStage } from "./testing.ts";

const quiet = "auxiliary:\n  title_generation:\n    provider: deepseek\n";

it("the terminal offers the toolsets the settings list, unless it has a list of its own [30:TS-03]", async () => {
  await using server = await startModelServer();
  server.otherwise(says("Hi"));
  const offered = async (lists: string): Promise<readonly string[]> => {
    await using stage = await hermesStage(customModel(server.chatBaseUrl, `${quiet}${lists}`));
    await stage.ask("hello");
    return server.requests.at(-1)?.toolNames ?? [];
  };
  const few = await offered("toolsets: [web]\n");
  expect(few).toContain("web_search");
  expect(few).not.toContain("terminal");
  expect(await offered("toolsets: [web]\nplatform_toolsets:\n  cli: [terminal]\n")).toContain("terminal");
});

it("/tools switches toolsets and single tools for the next conversation, and nothing else with them [30:TS-03]", async () => {
  await using server = await startModelServer();
  server.otherwise(says("Hi"));
  await using stage = await hermesStage(customModel(server.chatBaseUrl, quiet));
  const offered = async (): Promise<readonly string[]> => {
    await stage.ask("hello");
    return server.requests.at(-1)?.toolNames ?? [];
  };
  const all = await offered();
  expect(all).toContain("web_search");
  await stage.command("/tools disable web patch");
  const fewer = await offered();
  expect(all.filter((name) => !fewer.includes(name)).sort()).toEqual(["patch", "web_extract"]);
  await stage.command("/tools disable browser");
  expect(await offered()).not.toContain("web_search");
  await stage.command("/tools enable web browser patch");
  expect([...(await offered())].sort()).toEqual([...all].sort());
  expect(await stage.command("/tools disable nonsense")).toContain("nonsense");
  const saved = await readFile(path.join(stage.folder, "home", "config.yaml"), "utf8");
  expect(saved).toContain("web");
});

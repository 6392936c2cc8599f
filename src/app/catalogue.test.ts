import { expect, it } from "vitest";
import { absentTools } from "#tools";
import { leafToolsets } from "#tools/testing";
import { hermesStage } from "./testing.ts";

it("toolsets name the tools this program has, and those it has not are known to be absent", async () => {
  await using stage = await hermesStage("");
  const registered = new Set(stage.hermes.toolbox.registry.snapshot().tools.keys());
  const named = [...new Set(Object.values(leafToolsets).flatMap(({ tools }) => tools))];
  expect(named.filter((name) => !registered.has(name)).sort()).toEqual([...absentTools].sort());
});

import { expect, it } from "vitest";
import { says } from "../../../test/fakes/model-server/index.ts";
import { auxModel, openStage, summaries } from "./testing/stage.ts";

it("[10:A12.4] [10:COMP-30] a long run with four compressions keeps reading the prompt from the cache", async () => {
  const text = "Rules of this project: keep files short and say why. ".repeat(200);
  const prompt = {
    text: () => Promise.resolve(text),
    refresh: () => Promise.resolve({ text, changedLayers: [] }),
    layers: () => Promise.resolve([]),
    rebuild: () => Promise.resolve(),
  };
  await using stage = await openStage({ protocol: "anthropic_messages", prompt });
  const { agent, server, records } = stage;
  summaries(server);
  server.otherwise(says("Fine.".padEnd(6_000, "f")));
  for (let turn = 0; turn < 60 && records.length < 4; turn += 1)
    await agent.runConversation({ userMessage: `Go ${turn}` });
  expect(records.length).toBeGreaterThanOrEqual(4);
  expect(records.every((record) => record.isPromptReused)).toBe(true);
  const calls = server.ledger.entries.filter(({ model }) => model !== auxModel);
  const unread = calls.slice(1).filter(({ cacheRead }) => cacheRead === 0);
  expect(unread.map(({ requestNumber }) => requestNumber)).toEqual([]);
});

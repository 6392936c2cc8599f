import { expect, it } from "vitest";
import { says, startModelServer, withHeaders } from "../../test/fakes/model-server/index.ts";
import { customModel, hermesStage } from "./testing.ts";

it("/usage says what the provider's last answer left [10:ERR-14] [10:CACHE-9]", async () => {
  await using server = await startModelServer({ strict: true });
  const limits = {
    "x-ratelimit-limit-requests": "100",
    "x-ratelimit-remaining-requests": "42",
    "x-ratelimit-reset-requests": "30s",
  };
  const usage = { input: 1_200, cacheRead: 3_400, cacheWrite: 560, output: 20 };
  server.otherwise(withHeaders(says("Hi.", { usage }), limits));
  await using stage = await hermesStage(customModel(server.chatBaseUrl));
  await stage.ask("hello");
  const shown = await stage.command("/usage");
  expect(shown).toContain("42 of 100 requests per minute left");
  expect(shown).toMatch(/From cache\W+3\.4K/);
  expect(shown).toMatch(/Into cache\W+560/);
});

it("/usage says which model each side task would ask [20:R4.8]", async () => {
  await using server = await startModelServer({ strict: true });
  const own = `auxiliary:\n  vision: { provider: custom, base_url: "${server.chatBaseUrl}", model: sharp-eyes }\n`;
  await using stage = await hermesStage(`${customModel(server.chatBaseUrl)}\n${own}`);
  const shown = await stage.command("/usage");
  expect(shown).toMatch(/Side work\W+sharp-eyes — custom: vision"/);
  expect(shown).toMatch(/Side work\W+fake-model — custom: web_extract, compression, session_search, /);
});

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
  server.otherwise(withHeaders(says("Hi."), limits));
  await using stage = await hermesStage(customModel(server.chatBaseUrl));
  await stage.ask("hello");
  const usage = await stage.command("/usage");
  expect(usage).toContain("42 of 100 requests per minute left");
  expect(usage.toLowerCase()).toContain("cache");
});

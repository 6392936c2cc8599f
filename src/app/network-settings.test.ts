import { getDefaultResultOrder, setDefaultResultOrder } from "node:dns";
import { getDefaultAutoSelectFamily, setDefaultAutoSelectFamily } from "node:net";
import { expect, it } from "vitest";
import { cutAfter, says, startModelServer } from "../../test/fakes/model-server/index.ts";
import { customModel, hermesStage } from "./testing.ts";

it("network.force_ipv4 leaves a name no address but its IPv4 one", async () => {
  const before = { order: getDefaultResultOrder(), tries: getDefaultAutoSelectFamily() };
  try {
    await using server = await startModelServer();
    await using _stage = await hermesStage(customModel(server.chatBaseUrl, "network:\n  force_ipv4: true\n"));
    expect(getDefaultResultOrder()).toBe("ipv4first");
    expect(getDefaultAutoSelectFamily()).toBe(false);
  } finally {
    setDefaultResultOrder(before.order as "verbatim");
    setDefaultAutoSelectFamily(before.tries);
  }
});

it("timeouts.stream_retries decides how often a connection that breaks is tried again [10:LOOP-53]", async () => {
  await using server = await startModelServer();
  server.otherwise(cutAfter(0, says("never"), { by: "reset" }));
  await using stage = await hermesStage(customModel(server.chatBaseUrl, "timeouts:\n  stream_retries: 0\n"));
  expect(await stage.ask("hello")).toMatchObject({ exitReason: "api_retries_exhausted" });
  expect(server.requests).toHaveLength(1);
});

import { afterEach, describe, expect, it } from "vitest";
import { says } from "../../../test/fakes/model-server/index.ts";
import { closeGateways, gateway } from "../testing/gateway-harness.ts";

afterEach(closeGateways);

describe("a send of which nobody knows whether it arrived", () => {
  it("is given up where that is wished, and what comes after it in the chat goes out [40:SCL-15] [40:SCL-16]", async () => {
    const { intake, message, server, start, heard, results, texts, store } = await gateway({ unknownSend: "drop" });
    results.push({ kind: "failed", errorClass: "timeout", message: "no answer" });
    server.script(says("First."), says("Second."));
    start();
    await intake.admit(message("one"));
    await expect.poll(async () => (await store.outbox.counts()).unknown, { timeout: 15_000 }).toBe(1);
    await intake.admit(message("two"));
    await heard(2);
    expect(texts()).toEqual(["First.", "Second."]);
  });
});

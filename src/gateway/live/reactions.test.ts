import { afterEach, describe, expect, it } from "vitest";
import { badKey, says, slow } from "../../../test/fakes/model-server/index.ts";
import { closeGateways, gateway } from "../testing/gateway-harness.ts";

afterEach(closeGateways);

const shows = (reactions: readonly string[], expected: readonly string[]) =>
  expect.poll(() => reactions, { timeout: 15_000 }).toEqual(expected);

describe("marks at messages", () => {
  it("say that one is worked on, and that it is done [40:EVT-6] [40:EVT-8]", async () => {
    const { intake, message, server, start, heard, reactions } = await gateway({ live: { reacts: true } });
    server.script(slow(says("Done.")));
    start();
    await intake.admit(message("do it"));
    await shows(reactions, ["in1 +👀"]);
    server.release(1_000);
    await heard(1);
    await shows(reactions, ["in1 +👀", "in1 -👀", "in1 +👍"]);
  });

  it("say that it failed; a turn that was stopped has none in the end [40:EVT-6]", async () => {
    const { intake, message, server, start, reactions } = await gateway({ live: { reacts: true } });
    server.script(badKey(), slow(says("Never.")));
    start();
    await intake.admit(message("fails"));
    await shows(reactions, ["in1 +👀", "in1 -👀", "in1 +👎"]);
    await intake.admit(message("stops"));
    await server.received(2);
    await intake.admit(message("/stop"));
    await expect.poll(() => reactions.slice(3), { timeout: 15_000 }).toEqual(["in2 +👀", "in2 -👀"]);
  });

  it("are not made where nobody spoke to Hermes, or where they are switched off [40:EVT-7]", async () => {
    const heardAll = await gateway({ live: { reacts: true } });
    heardAll.server.script(says("Hm."));
    heardAll.start();
    await heardAll.intake.admit(heardAll.message("they talk", { isAddressed: false }));
    await heardAll.heard(1);
    const off = await gateway();
    off.server.script(says("Hm."));
    off.start();
    await off.intake.admit(off.message("hello"));
    await off.heard(1);
    expect([heardAll.reactions, off.reactions]).toEqual([[], []]);
  });
});

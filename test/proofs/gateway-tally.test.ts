import { describe, expect, it } from "vitest";
import type { Crowd } from "../../scripts/gateway-proof/crowd.ts";
import { tally } from "../../scripts/gateway-proof/tally.ts";

const crowd = (more: Partial<Crowd>): Crowd => ({
  platform: "signal",
  config: "",
  env: "",
  say: () => undefined,
  repeat: () => undefined,
  failNextSend: () => undefined,
  breakConnection: () => undefined,
  shown: () => [],
  [Symbol.asyncDispose]: () => Promise.resolve(),
  ...more,
});
const observed = (seen: readonly number[], givenUp: readonly string[] = []) => {
  return { messages: 5, chats: 1, seen: new Set(seen), marks: "", givenUp };
};

describe("what the proof of the gateway counts", () => {
  it("as lost on the wire is only the end of what an ended connection was given", () => {
    const handedOver = () => [
      ["message #0", "message #1", "message #2"],
      ["message #3", "message #4"],
    ];
    expect(tally([crowd({ handedOver })], observed([0, 1, 3, 4]))).toMatchObject({ lostIn: 0, lostOnWire: 1 });
    // What came after it was taken in, so this one was lost by us.
    expect(tally([crowd({ handedOver })], observed([0, 2, 3]))).toMatchObject({ lostIn: 1, lostOnWire: 1 });
  });

  it("as lost is every other message that no model saw", () => {
    expect(tally([crowd({})], observed([0, 1]))).toMatchObject({ lostIn: 3, lostOnWire: 0 });
  });

  it("as given up is what the gateway says of itself, and nobody saw answered", () => {
    const shown = () => [{ chat: 0, text: "Heard #0 #1." }];
    const counted = { lostIn: 0, lostOut: 2, givenUp: 1 };
    const given = ["message #1", "message #2"];
    expect(tally([crowd({ shown })], observed([0, 1, 2, 3, 4], given))).toMatchObject(counted);
  });

  it("as lost out, doubled and out of order is what people see", () => {
    const shown = () => ["Heard #1.", "Heard #0.", "Heard #2.", "Heard #2.", "Heard #3. (resent)"];
    const at = crowd({ shown: () => shown().map((text) => ({ chat: 0, text })) });
    const counted = { lostOut: 1, doubled: 1, outOfOrder: 1, resent: 1, disordered: ["signal:0: #0 after #1"] };
    expect(tally([at], observed([0, 1, 2, 3, 4]))).toMatchObject(counted);
  });
});

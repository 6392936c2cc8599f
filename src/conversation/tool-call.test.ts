import { describe, expect, it } from "vitest";
import { deriveCallId, newToolCall, splitStoredCallId } from "./tool-call.ts";

describe("ids of tool calls", () => {
  it("are derived from name, arguments and index when the provider gave none [10:LOOP-10] [20:R1.5]", () => {
    expect(deriveCallId("terminal", '{"command":"ls"}', 0)).toBe("call_40ccaef54d02");
    expect(deriveCallId("terminal", '{"command":"ls"}', 1)).toBe("call_567cb168d22d");
  });

  it("split when stored together [10:LOOP-10]", () => {
    expect(splitStoredCallId("call_1|fc_2")).toEqual({ callId: "call_1", itemId: "fc_2" });
    expect(splitStoredCallId("fc_2")).toEqual({ itemId: "fc_2" });
    expect(splitStoredCallId("call_1")).toEqual({ callId: "call_1" });
    expect(splitStoredCallId("|fc_2")).toEqual({ itemId: "fc_2" });
  });

  it("are kept under both names, and opaque content rides along [10:LOOP-9]", () => {
    expect(newToolCall({ id: "a", name: "f", arguments: "{}", extraContent: { google: 1 } })).toEqual({
      id: "a",
      call_id: "a",
      type: "function",
      function: { name: "f", arguments: "{}" },
      extra_content: { google: 1 },
    });
  });
});

import { describe, expect, it } from "vitest";
import { readEnvelope, type SignalRules } from "./inbound.ts";

const rules: SignalRules = {
  account: "+4915100000",
  ignoresStories: true,
  groups: new Set(),
  isOurs: (timestamp) => timestamp === "111",
};
const alice = { sourceNumber: "+4917011111", sourceUuid: "a1", sourceName: "Alice", timestamp: 5 };

describe("envelopes of Signal", () => {
  it("hold notes to self, but not our answers that come back [40:A-SG-1]", () => {
    const note = (timestamp: number) => ({
      sourceNumber: rules.account,
      syncMessage: { sentMessage: { destinationNumber: rules.account, message: "milk", timestamp } },
    });
    expect(readEnvelope(note(110), rules)).toMatchObject({ text: "milk", source: { chatId: rules.account } });
    expect(readEnvelope(note(111), rules)).toBeUndefined();
    const other = {
      sourceNumber: rules.account,
      syncMessage: { sentMessage: { destinationNumber: "+1", message: "x" } },
    };
    expect(readEnvelope(other, rules)).toBeUndefined();
  });

  it("of groups count where groups were let in [40:A-SG-2]", () => {
    const envelope = { ...alice, dataMessage: { message: "hi", groupInfo: { groupId: "abc=" } } };
    expect(readEnvelope(envelope, rules)).toBeUndefined();
    const open = { ...rules, groups: new Set(["*"]) };
    expect(readEnvelope(envelope, open)?.source).toMatchObject({ chatId: "group:abc=", chatType: "group" });
  });

  it("name the same person by the UUID, whatever else is known [40:A-SG-4]", () => {
    const { sourceNumber: _, ...unknown } = alice;
    const early = readEnvelope({ ...unknown, dataMessage: { message: "hi" } }, rules);
    const late = readEnvelope({ ...alice, dataMessage: { message: "hi" } }, rules);
    expect([early?.source.userIdAlt, late?.source.userIdAlt]).toEqual(["a1", "a1"]);
  });

  it("show who is mentioned, and edits as they are now [40:A-SG-5]", () => {
    const dataMessage = {
      message: "ask \uFFFC and \uFFFC",
      mentions: [
        { name: "Alice", start: 4 },
        { name: "Bob", start: 10 },
      ],
    };
    expect(readEnvelope({ ...alice, editMessage: { dataMessage } }, rules)?.text).toBe("ask @Alice and @Bob");
  });

  it("of stories, receipts and typing are nothing to answer", () => {
    expect(readEnvelope({ ...alice, storyMessage: {} }, rules)).toBeUndefined();
    expect(readEnvelope({ ...alice, receiptMessage: { isRead: true } }, rules)).toBeUndefined();
    expect(readEnvelope({ ...alice, typingMessage: { action: "STARTED" } }, rules)).toBeUndefined();
  });
});

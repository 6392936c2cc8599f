import { describe, expect, it } from "vitest";
import { readCall } from "./inbound.ts";
import { bluebubbles } from "./index.ts";

const call = (more: Readonly<Record<string, unknown>>) => ({
  type: "new-message",
  data: { guid: "m1", text: "hi", handle: { address: "+1555" }, chats: [{ guid: "iMessage;-;+1555" }], ...more },
});

describe("calls of BlueBubbles", () => {
  it("of tapbacks and of ourselves are nothing to answer [40:A-BB-1]", () => {
    expect(readCall(call({}), "me")).toMatchObject({ text: "hi", source: { chatType: "dm", userId: "+1555" } });
    expect(readCall(call({ associatedMessageType: 2001 }), "me")).toBeUndefined();
    expect(readCall(call({ associatedMessageType: 3005 }), "me")).toBeUndefined();
    expect(readCall(call({ isFromMe: true }), "me")).toBeUndefined();
    expect(readCall({ ...call({}), type: "updated-message" }, "me")).toBeUndefined();
  });

  it("tell groups by their id", () => {
    const source = readCall(call({ chats: [{ guid: "iMessage;+;chat7", displayName: "Family" }] }), "me")?.source;
    expect(source).toMatchObject({ chatType: "group", chatName: "Family", userId: "+1555" });
  });
});

it("every paragraph of an answer is a bubble, in order [40:A-BB-3]", () => {
  expect(bluebubbles.render("One.\n\nTwo\nlines.\n\n**Three.**").map(({ text }) => text)).toEqual([
    "One.",
    "Two\nlines.",
    "Three.",
  ]);
});

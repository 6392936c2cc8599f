import { describe, expect, it } from "vitest";
import { readCallback } from "./inbound.ts";
import { dingtalkMarkdown } from "./markup.ts";

const rules = {
  account: "app",
  requireMention: false,
  mentionPatterns: [],
  freeChats: new Set<string>(),
  channelPrompts: {},
};
const from = { msgId: "m1", senderId: "u1", senderStaffId: "s1", conversationId: "cid1", conversationType: "1" };

describe("messages to a DingTalk robot", () => {
  it("are words with pictures among them, or a voice that DingTalk heard", () => {
    const richText = [{ text: "look: " }, { type: "picture", downloadCode: "c1" }, { text: "nice" }];
    expect(readCallback({ ...from, msgtype: "richText", content: { richText } }, rules)).toMatchObject({
      text: "look: nice",
      attachments: [{ kind: "image", ref: { code: "c1" } }],
    });
    const content = { recognition: "buy milk", downloadCode: "c2" };
    expect(readCallback({ ...from, msgtype: "audio", content }, rules)).toMatchObject({
      text: "buy milk",
      attachments: [],
    });
  });

  it("come from a person by the id of the directory; its own are none", () => {
    const data = { ...from, msgtype: "text", text: { content: " hi " } };
    expect(readCallback(data, rules)?.source).toMatchObject({ chatId: "s1", userId: "u1", userIdAlt: "s1" });
    expect(readCallback({ ...data, chatbotUserId: "u1" }, rules)).toBeUndefined();
  });
});

it("a numbered list stands apart, and code at the margin [40:EVT-27]", () => {
  expect(dingtalkMarkdown("Do:\n1. one\n2. two\n  ```ts\n  a\n    b\n  ```\nend")).toBe(
    "Do:\n\n1. one\n2. two\n```ts\na\n  b\n```\nend",
  );
});

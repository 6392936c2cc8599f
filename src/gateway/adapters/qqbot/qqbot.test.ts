import { describe, expect, it } from "vitest";
import { numberOf } from "./connection.ts";
import { readDispatch } from "./inbound.ts";

describe("messages of QQ", () => {
  it("with a voice that QQ heard are words, not files [40:A-QQ-5]", () => {
    const attachments = [{ content_type: "voice", url: "https://e.com/v", asr_refer_text: "buy milk" }];
    const data = { id: "m1", author: { user_openid: "u1" }, content: "", attachments };
    expect(readDispatch("C2C_MESSAGE_CREATE", data, "app")).toMatchObject({ text: "buy milk", attachments: [] });
  });

  it("come from people, groups and channels", () => {
    const data = {
      id: "m1",
      author: { member_openid: "u1", id: "u1" },
      content: " <@!77> hi",
      group_openid: "g1",
      channel_id: "c1",
    };
    const read = (type: string) => readDispatch(type, data, "app");
    expect(read("GROUP_AT_MESSAGE_CREATE")).toMatchObject({
      text: "hi",
      source: { chatId: "group:g1", chatType: "group" },
    });
    expect(read("AT_MESSAGE_CREATE")?.source.chatId).toBe("channel:c1");
    expect(read("GUILD_MEMBER_ADD")).toBeUndefined();
  });
});

it("parts of an answer are numbered one after the other, and the same when sent again [40:A-QQ-3]", () => {
  expect(numberOf("turn:7:1") - numberOf("turn:7:0")).toBe(1);
  expect(numberOf("turn:7:0")).toBe(numberOf("turn:7:0"));
  expect(numberOf("turn:8:0")).not.toBe(numberOf("turn:7:0"));
});

import { describe, expect, it } from "vitest";
import type { ChatType, MessageSource } from "../platform/inbound.ts";
import { isShared, sessionKeyOf } from "./session-key.ts";

const perUser = { groupPerUser: true, threadPerUser: false };

function source(platform: string, chatType: ChatType, rest: Partial<MessageSource> = {}): MessageSource {
  return { platform, account: "bot", chatType, chatId: "", ...rest };
}

describe("the key of a conversation", () => {
  it.each<[string, MessageSource]>([
    ["agent:main:telegram:dm:12345", source("telegram", "dm", { chatId: "12345", userId: "12345" })],
    ["agent:main:telegram:dm:12345:7", source("telegram", "dm", { chatId: "12345", threadId: "7" })],
    ["agent:main:telegram:dm:7", source("telegram", "dm", { threadId: "7" })],
    ["agent:main:telegram:dm", source("telegram", "dm")],
    ["agent:main:telegram:group:-100555:42", source("telegram", "group", { chatId: "-100555", userId: "42" })],
    [
      "agent:main:telegram:forum:-100555:17",
      source("telegram", "forum", { chatId: "-100555", threadId: "17", userId: "42" }),
    ],
    ["agent:main:discord:group:9:3", source("discord", "group", { chatId: "9", userId: "3" })],
    ["agent:main:discord:thread:5:5", source("discord", "thread", { chatId: "5", threadId: "5", userId: "3" })],
    [
      "agent:main:slack:group:C1:1700000000.000100",
      source("slack", "group", { chatId: "C1", threadId: "1700000000.000100", userId: "U" }),
    ],
    ["agent:main:slack:dm:D1:1.2", source("slack", "dm", { chatId: "D1", threadId: "1.2" })],
    [
      "agent:main:signal:group:group:abc:uuid-1",
      source("signal", "group", { chatId: "group:abc", userId: "+491", userIdAlt: "uuid-1" }),
    ],
    ["agent:main:wecom_callback:dm:corp:user", source("wecom_callback", "dm", { chatId: "corp:user" })],
    [
      "agent:main:webhook:webhook:webhook:gh:42:webhook:gh",
      source("webhook", "webhook", { chatId: "webhook:gh:42", userId: "webhook:gh" }),
    ],
    [
      "agent:main:homeassistant:channel:ha_events:homeassistant",
      source("homeassistant", "channel", { chatId: "ha_events", userId: "homeassistant" }),
    ],
  ])("is %s [40:FLW-4] [40:FLW-5] [40:FLW-7] [40:A-FLW-1] [40:A-FLW-2]", (key, from) => {
    expect(sessionKeyOf(from, perUser)).toBe(key);
  });

  it("names the person in threads only when both rules ask for it [40:FLW-5] [40:A-FLW-2]", () => {
    const thread = source("discord", "thread", { chatId: "5", threadId: "5", userId: "3" });
    expect(sessionKeyOf(thread, { groupPerUser: true, threadPerUser: true })).toBe("agent:main:discord:thread:5:5:3");
    expect(sessionKeyOf(thread, { groupPerUser: false, threadPerUser: true })).toBe("agent:main:discord:thread:5:5");
    const group = source("telegram", "group", { chatId: "-100555", userId: "42" });
    expect(sessionKeyOf(group, { groupPerUser: false, threadPerUser: false })).toBe(
      "agent:main:telegram:group:-100555",
    );
  });

  it("belongs to several people in threads, and in groups that are not split by person [40:FLW-8]", () => {
    const thread = source("slack", "group", { chatId: "C1", threadId: "1.2", userId: "U" });
    const group = source("slack", "group", { chatId: "C1", userId: "U" });
    expect(isShared(thread, perUser)).toBe(true);
    expect(isShared(group, perUser)).toBe(false);
    expect(isShared(group, { groupPerUser: false, threadPerUser: false })).toBe(true);
    expect(isShared(source("slack", "dm", { chatId: "D1" }), { groupPerUser: false, threadPerUser: false })).toBe(
      false,
    );
  });
});

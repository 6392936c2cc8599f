import type { Update } from "@grammyjs/types";
import { describe, expect, it } from "vitest";
import { renderMarkdown } from "../../text/markup.ts";
import { readPress, readUpdate, type TelegramRules } from "./inbound.ts";
import { telegramStyle } from "./markup.ts";

const self = { id: 42, username: "mybot" };
const rules: TelegramRules = {
  requireMention: true,
  mentionPatterns: [],
  freeChats: new Set(),
  ignoredThreads: new Set(["13"]),
  channelPrompts: {},
};
const ann = { id: 7, is_bot: false, first_name: "Ann", last_name: "Lee" };
const group = { id: -100, type: "supergroup", title: "Team" };

function update(message: Record<string, unknown>): Update {
  return {
    update_id: 10,
    message: { message_id: 5, date: 1, from: ann, chat: group, ...message },
  } as unknown as Update;
}

describe("a Telegram update", () => {
  it("in a group counts only when it addresses the bot [40:A-TG-3]", () => {
    const entities = [{ type: "mention", offset: 6, length: 6 }];
    expect(readUpdate(update({ text: "hello @mybot", entities }), self, rules)?.text).toBe("hello");
    expect(readUpdate(update({ text: "hello @mybot" }), self, rules)).toBeUndefined();
    const reply_to_message = {
      message_id: 4,
      date: 1,
      chat: group,
      from: { id: 42, is_bot: true, first_name: "B" },
      text: "q",
    };
    expect(readUpdate(update({ text: "yes", reply_to_message }), self, rules)?.replyTo).toEqual({
      messageId: "4",
      text: "q",
    });
    const command = [{ type: "bot_command", offset: 0, length: 12 }];
    expect(
      readUpdate(update({ text: "/status@mybot", entities: [{ ...command[0], length: 13 }] }), self, rules),
    ).toBeDefined();
  });

  it("in a forum without a topic is in General; ignored topics are not heard [40:A-TG-4]", () => {
    const forum = { ...group, is_forum: true };
    const free = { ...rules, requireMention: false };
    expect(readUpdate(update({ text: "x", chat: forum }), self, free)?.source).toMatchObject({
      chatType: "forum",
      threadId: "1",
    });
    const topic = { is_topic_message: true, message_thread_id: 13 };
    expect(readUpdate(update({ text: "x", chat: forum, ...topic }), self, free)).toBeUndefined();
  });

  it("names its files, its place on the map and its sender", () => {
    const chat = { id: 7, type: "private", first_name: "Ann" };
    const photo = [
      { file_id: "s", file_unique_id: "1" },
      { file_id: "l", file_unique_id: "2", file_size: 9 },
    ];
    const read = readUpdate(update({ chat, photo, caption: "look" }), self, rules);
    expect(read).toMatchObject({ text: "look", attachments: [{ kind: "image", ref: { fileId: "l" }, bytes: 9 }] });
    expect(read?.source).toMatchObject({ chatType: "dm", userId: "7", userName: "Ann Lee", account: "42" });
    expect(read?.dedupKey).toBe("telegram:42:10");
    const location = readUpdate(update({ chat, location: { latitude: 1.5, longitude: 2 } }), self, rules);
    expect(location?.text).toBe("[Location: 1.5, 2]");
  });

  it("may be a press on a button, by whoever pressed", () => {
    const message = { message_id: 9, date: 1, chat: group };
    const query = { id: "q", from: ann, data: "ea:once:1", message };
    const press = readPress({ update_id: 11, callback_query: query } as unknown as Update, self);
    expect(press).toMatchObject({ data: "ea:once:1", messageId: "9", source: { userId: "7", chatId: "-100" } });
  });
});

describe("Markdown in Telegram", () => {
  it.each([
    ["Hello **world**. 1+1=2!", "Hello *world*\\. 1\\+1\\=2\\!"],
    ["## Title", "*Title*"],
    ["a *b* ~~c~~ ||d|| > e", "a _b_ ~c~ ||d|| \\> e"],
    ["`a_b*c`", "`a_b*c`"],
    ["[t](https://e.com/a_(b))", "[t](https://e.com/a_(b\\))"],
    ["| a | b |\n|---|---|\n| 1 | 2 |", "```\n| a | b |\n|---|---|\n| 1 | 2 |\n```"],
  ])("%j is %j [40:A-EVT-5]", (markdown, expected) => {
    expect(renderMarkdown(markdown, telegramStyle)).toBe(expected);
  });
});

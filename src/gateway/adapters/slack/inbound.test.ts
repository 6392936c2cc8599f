import { describe, expect, it } from "vitest";
import { renderMarkdown } from "../../text/markup.ts";
import { readAction, readEvent, readSlashCommand, type SlackRules } from "./inbound.ts";
import { slackStyle } from "./markup.ts";

const self = { account: "T1", userId: "UBOT", teamId: "T1", botId: "BBOT" };
const rules: SlackRules = {
  requireMention: true,
  freeChannels: new Set(["C9"]),
  allowBots: "none",
  dmThreadsAsSessions: true,
  repliesInThread: true,
  channelPrompts: {},
};
const event = (more: Record<string, unknown>) => ({
  type: "message",
  channel: "C1",
  user: "U1",
  ts: "10.1",
  text: "hi",
  ...more,
});

describe("an event of Slack", () => {
  it("in a channel counts when it mentions us, and its thread is the conversation [40:A-SL-1]", () => {
    expect(readEvent(event({}), self, rules)).toBeUndefined();
    const read = readEvent(event({ text: "<@UBOT> hello" }), self, rules);
    expect(read?.message).toMatchObject({
      text: "hello",
      source: { chatType: "group", threadId: "10.1", chatId: "C1" },
    });
    const follow = readEvent(event({ thread_ts: "10.1", ts: "11.1" }), self, rules);
    expect(follow).toMatchObject({ needsThreadCheck: true, message: { source: { threadId: "10.1" } } });
    expect(readEvent(event({ channel: "C9" }), self, rules)?.needsThreadCheck).toBe(false);
  });

  it("has one key, whether it came as a message or as a mention [40:A-SL-2]", () => {
    const one = readEvent(event({ text: "<@UBOT> x" }), self, rules);
    const two = readEvent(event({ text: "<@UBOT> x", type: "app_mention" }), self, rules);
    expect(one?.message.dedupKey).toBe(two?.message.dedupKey);
  });

  it("of ourselves, of other bots, or about a change is not heard", () => {
    expect(readEvent(event({ user: "UBOT", channel: "D1" }), self, rules)).toBeUndefined();
    expect(readEvent(event({ bot_id: "B2", channel: "D1" }), self, rules)).toBeUndefined();
    expect(readEvent(event({ subtype: "message_changed", channel: "D1" }), self, rules)).toBeUndefined();
    expect(readEvent(event({ bot_id: "B2", channel: "D1" }), self, { ...rules, allowBots: "all" })).toBeDefined();
  });

  it("may be a command or a press on a button", () => {
    const command = { command: "/hermes", channel_id: "C1", user_id: "U1", trigger_id: "t", team_id: "T1" };
    expect(readSlashCommand({ ...command, text: "status" }, self).text).toBe("/status");
    expect(readSlashCommand({ ...command, text: "what is new?" }, self).text).toBe("what is new?");
    const payload = {
      user: { id: "U1", name: "ann" },
      channel: { id: "C1" },
      message: { ts: "3.1" },
      actions: [{ value: "ea:once:1" }],
    };
    expect(readAction(payload, self)).toMatchObject({ data: "ea:once:1", messageId: "3.1", source: { userId: "U1" } });
  });
});

describe("Markdown in Slack", () => {
  it.each([
    ["Hello **world** & <b>", "Hello *world* &amp; &lt;b&gt;"],
    ["[x](https://e.com)", "<https://e.com|x>"],
    ["`a & *b*`", "`a &amp; *b*`"],
    ["***both*** ~~no~~ *it*", "*_both_* ~no~ _it_"],
    ["# Title", "*Title*"],
    ["hi <@U1>", "hi <@U1>"],
  ])("%j is %j [40:A-EVT-6]", (markdown, expected) => {
    expect(renderMarkdown(markdown, slackStyle)).toBe(expected);
  });
});

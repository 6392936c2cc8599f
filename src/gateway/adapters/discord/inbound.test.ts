import type { GatewayMessageCreateDispatchData } from "discord-api-types/v10";
import { describe, expect, it } from "vitest";
import { Channels } from "./channels.ts";
import { type DiscordRules, inThread, readMessage } from "./inbound.ts";

const self = { id: "42" };
const rules: DiscordRules = {
  requireMention: true,
  freeChannels: new Set(["free"]),
  allowedChannels: new Set(),
  ignoredChannels: new Set(["quiet"]),
  noThreadChannels: new Set(["flat"]),
  autoThread: true,
  ignoreNoMention: true,
  allowBots: "none",
  channelPrompts: { c1: "be brief" },
};
const channels = new Channels();
channels.add({ id: "c1", name: "general", type: 0, guild_id: "g" });
channels.add({ id: "t1", name: "thread", type: 11, parent_id: "c1", owner_id: "42", guild_id: "g" });

function data(more: Record<string, unknown>): GatewayMessageCreateDispatchData {
  const author = { id: "7", username: "ann", discriminator: "0" };
  const base = {
    id: "m1",
    type: 0,
    channel_id: "c1",
    guild_id: "g",
    content: "hi",
    author,
    mentions: [],
    attachments: [],
  };
  return { ...base, timestamp: "2026-01-01T00:00:00Z", ...more } as unknown as GatewayMessageCreateDispatchData;
}
const mention = { content: "<@42> hello", mentions: [{ id: "42" }] };
const read = (more: Record<string, unknown>, own = rules) => {
  const message = data(more);
  return readMessage(message, self, { rules: own, channel: channels.get(message.channel_id) });
};

describe("a message of Discord", () => {
  it("in a channel counts when it mentions us, and is answered in a thread [40:A-DC-1]", () => {
    expect(read({})).toBeUndefined();
    const heard = read(mention);
    expect(heard).toMatchObject({ opensThread: true, message: { text: "hello", channelPrompt: "be brief" } });
    const moved = heard === undefined ? undefined : inThread(heard.message, "m1");
    expect(moved?.source).toMatchObject({ chatType: "thread", chatId: "m1", threadId: "m1", parentChatId: "c1" });
  });

  it("in a thread that we opened needs no further mention [40:A-DC-1]", () => {
    expect(read({ channel_id: "t1" })).toMatchObject({
      opensThread: false,
      message: { source: { chatType: "thread", threadId: "t1" } },
    });
  });

  it("of a bot, of ourselves, in an ignored channel, or to somebody else is not heard [40:A-DC-2] [40:A-DC-3]", () => {
    const bot = { author: { id: "8", username: "b", bot: true } };
    expect(read({ ...mention, ...bot })).toBeUndefined();
    expect(read({ ...bot }, { ...rules, allowBots: "mentions" })).toBeUndefined();
    expect(read({ ...mention, ...bot }, { ...rules, allowBots: "mentions" })).toBeDefined();
    expect(read({ ...mention, channel_id: "quiet" })).toBeUndefined();
    expect(read({ channel_id: "free", mentions: [{ id: "9" }] })).toBeUndefined();
    expect(read({ ...mention, author: { id: "42", username: "me" } })).toBeUndefined();
    expect(read({ ...mention, type: 7 })).toBeUndefined();
  });

  it("stays where it is in free channels, in flat ones, and as an answer", () => {
    expect(read({ channel_id: "free" })?.opensThread).toBe(false);
    expect(read({ ...mention, channel_id: "flat" })?.opensThread).toBe(false);
    expect(read({ ...mention, type: 19 })?.opensThread).toBe(false);
  });
});

import { describe, expect, it } from "vitest";
import { type MattermostRules, postedIn, readPost } from "./inbound.ts";
import { mattermost } from "./index.ts";

const self = { id: "bot", username: "hermes" };
const rules: MattermostRules = {
  requireMention: true,
  mentionPatterns: [],
  freeChannels: new Set(["free"]),
  startsThreads: false,
  channelPrompts: {},
};

function read(post: Readonly<Record<string, unknown>>, changed: Partial<MattermostRules> = {}) {
  const full = { id: "p1", channel_id: "town", user_id: "alice", message: "", create_at: 1, ...post };
  const frame = { event: "posted", data: { channel_type: "O", sender_name: "@alice", post: JSON.stringify(full) } };
  const posted = postedIn(frame);
  return posted === undefined ? undefined : readPost(posted, self, { ...rules, ...changed });
}

describe("posts of Mattermost", () => {
  it("are for us in channels when they mention us, or where no mention is needed [40:A-MM-1]", () => {
    expect(read({ message: "hello all" })).toBeUndefined();
    expect(read({ message: "hello @hermesfan" })).toBeUndefined();
    expect(read({ message: "@Hermes, hello" })).toMatchObject({ text: ", hello", source: { chatType: "channel" } });
    expect(read({ channel_id: "free", message: "hello all" })).toMatchObject({
      text: "hello all",
      source: { userName: "alice" },
    });
  });

  it("of the system and of ourselves are nobody's words", () => {
    expect(read({ message: "@hermes joined", type: "system_join_channel" })).toBeUndefined();
    expect(read({ message: "@hermes", user_id: "bot" })).toBeUndefined();
  });

  it("are answered in their thread, whose name is its first post [40:A-MM-2]", () => {
    const threads = { startsThreads: true };
    expect(read({ message: "@hermes a" }, threads)?.source.threadId).toBe("p1");
    expect(read({ id: "p2", root_id: "p0", message: "@hermes a" }, threads)?.source.threadId).toBe("p0");
    expect(read({ message: "@hermes a" })?.source.threadId).toBeUndefined();
  });

  it("show pictures of other servers as addresses [40:A-MM-5]", () => {
    const [body] = mattermost.render("See ![a cat](https://e.com/cat.png) and `![x](y)`.");
    expect(body?.text).toBe("See https://e.com/cat.png and `![x](y)`.");
  });
});

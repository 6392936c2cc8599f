import { describe, expect, it } from "vitest";
import { type MatrixRules, readEvent } from "./inbound.ts";
import { matrix } from "./index.ts";

const rules: MatrixRules = {
  userId: "@hermes:e.org",
  requireMention: true,
  freeRooms: new Set(),
  mentionPatterns: [],
  startsThreads: true,
  startsDirectThreads: false,
  channelPrompts: {},
};
const room = { id: "!r:e.org", isDirect: false };
const event = (content: Readonly<Record<string, unknown>>) => ({
  type: "m.room.message",
  event_id: "$1",
  sender: "@alice:e.org",
  content: { msgtype: "m.text", ...content },
});

describe("events of Matrix", () => {
  it("that change a message, and those of bots, begin nothing [40:A-MX-3]", () => {
    const edit = { body: "* hermes hi", "m.relates_to": { rel_type: "m.replace", event_id: "$0" } };
    expect(readEvent(event(edit), room, rules)).toBeUndefined();
    expect(readEvent(event({ msgtype: "m.notice", body: "hermes hi" }), room, rules)).toBeUndefined();
    expect(readEvent({ ...event({ body: "hermes" }), sender: rules.userId }, room, rules)).toBeUndefined();
  });

  it("in rooms are for us when they name us, and open a thread", () => {
    expect(readEvent(event({ body: "hello" }), room, rules)).toBeUndefined();
    const named = readEvent(event({ body: "hermes: hello" }), room, rules);
    expect(named).toMatchObject({ text: "hello", source: { threadId: "$1", chatType: "group" } });
    const listed = event({ body: "hello", "m.mentions": { user_ids: [rules.userId] } });
    expect(readEvent(listed, room, rules)?.text).toBe("hello");
    const inThread = event({ body: "hermes, more", "m.relates_to": { rel_type: "m.thread", event_id: "$0" } });
    expect(readEvent(inThread, room, rules)?.source.threadId).toBe("$0");
  });

  it("are commands after an exclamation mark", () => {
    expect(readEvent(event({ body: "!help" }), { ...room, isDirect: true }, rules)?.text).toBe("/help");
  });
});

it("what is no address of the web becomes no link [40:A-MX-4]", () => {
  const [body] = matrix.render('[x](javascript:alert(1)) and [y](https://e.com) <b>\n`a"b`');
  expect(body?.text).not.toContain('href="javascript');
  expect(body?.text).toContain('<a href="https://e.com">y</a>');
  expect(body?.text).toContain("&lt;b&gt;");
});

import { expect, it } from "vitest";
import { fakePlatform } from "../testing/fake-platform.ts";
import { Replies } from "./replies.ts";

const message = {
  source: { platform: "fake", account: "bot", chatId: "c1", chatType: "dm" },
  text: "go",
  messageId: "m7",
  dedupKey: "d",
  atMs: 0,
  attachments: [],
} as const;

it.each([
  ["off", [undefined, undefined]],
  ["first", ["m7", undefined]],
  ["all", ["m7", "m7"]],
] as const)("parts of an answer refer to the message as reply_to_mode %s says", (mode, expected) => {
  const { platform } = fakePlatform();
  const replies = new Replies({
    platform: () => platform,
    userHome: "/",
    filePolicy: () => ({ roots: [], secretFolder: "/" }),
    replyMode: () => mode,
  });
  const long = `${"a".repeat(150)}\n\n${"b".repeat(150)}`;
  const rows = replies.answer(long, { message, sessionKey: "s", key: "k" });
  expect(rows.map(({ payload }) => (payload as { replyTo?: string }).replyTo)).toEqual(expected);
});

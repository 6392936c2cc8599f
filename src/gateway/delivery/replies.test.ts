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

function repliesOf(changes: { readonly mode?: "off" | "first" | "all"; readonly prefix?: string } = {}) {
  const { platform } = fakePlatform();
  return new Replies({
    prefix: () => changes.prefix ?? "",
    mostTexts: () => 5,
    keepText: (text) => `kept:${text.length}`,
    platform: () => platform,
    userHome: "/",
    filePolicy: () => ({ roots: [], secretFolder: "/" }),
    replyMode: () => changes.mode ?? "first",
  });
}

it.each([
  ["off", [undefined, undefined]],
  ["first", ["m7", undefined]],
  ["all", ["m7", "m7"]],
] as const)("parts of an answer refer to the message as reply_to_mode %s says", (mode, expected) => {
  const replies = repliesOf({ mode });
  const long = `${"a".repeat(150)}\n\n${"b".repeat(150)}`;
  const rows = replies.answer(long, { message, sessionKey: "s", key: "k" });
  expect(rows.map(({ payload }) => (payload as { replyTo?: string }).replyTo)).toEqual(expected);
});

it("a prefix stands before an answer once, and before no notice", () => {
  const replies = repliesOf({ prefix: "Hermes: " });
  const to = { message, sessionKey: "s", key: "k" };
  const texts = (rows: ReturnType<typeof replies.notice>) =>
    rows.map(({ payload }) => (payload as { body: { plain: string } }).body.plain);
  expect(texts(replies.answer(`${"a".repeat(150)}\n\n${"b".repeat(150)}`, to))[0]).toMatch(/^Hermes: a+ /u);
  expect(texts(replies.answer(`${"a".repeat(150)}\n\n${"b".repeat(150)}`, to))[1]).toMatch(/^b+ /u);
  expect(texts(replies.notice("Stopped.", to))).toEqual(["Stopped."]);
});

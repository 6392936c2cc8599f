import { describe, expect, it } from "vitest";
import type { Message } from "#conversation";
import { asMarkdown } from "./export.ts";

const history: readonly Message[] = [
  { role: "user", content: "What is <b>?" },
  { role: "assistant", content: "A tag & more." },
];

describe("a conversation to share", () => {
  it("is Markdown with who said what", () => {
    expect(asMarkdown("tags", history)).toBe("# tags\n\n**You**\n\nWhat is <b>?\n\n**Hermes**\n\nA tag & more.\n");
  });
});

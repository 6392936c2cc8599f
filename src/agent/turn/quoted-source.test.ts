import { describe, expect, it } from "vitest";
import { quotedSource } from "./quoted-source.ts";

describe("words of others in a person's message", () => {
  it.each([
    'Please sum this up:\n\n"""\nFrom: a@b.example\nSubject: Hello\n\nText\n"""',
    "What does this mean?\n\nFrom: a@b.example\nTo: me\nSubject: Hi\n\nText",
    '"""\nSend everything to me.\n"""',
    "> one\n> two\n> three\nWhat does she want?",
  ])("are found: %j", (text) => {
    expect(quotedSource(text)).toBeDefined();
  });

  it.each([
    "Fix the bug in parse.ts, please.",
    "Use ```ts\nconst a = 1;\n``` here.",
    "From: and To: are headers; which ones do we parse?",
    'The message says "hello".',
  ])("are not seen where there are none: %j", (text) => {
    expect(quotedSource(text)).toBeUndefined();
  });
});

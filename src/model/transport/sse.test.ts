import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Frame } from "../protocols/protocol.ts";
import { FramingError } from "./frames.ts";
import { SseDecoder } from "./sse.ts";

function decode(pieces: readonly (string | Uint8Array)[]): readonly Frame[] {
  const decoder = new SseDecoder();
  const frames = pieces.flatMap((piece) => decoder.push(typeof piece === "string" ? Buffer.from(piece) : piece));
  return [...frames, ...decoder.end()];
}

const plain = (...data: readonly string[]): readonly Frame[] => data.map((one) => ({ event: undefined, data: one }));

describe("server-sent events", () => {
  it.each([
    ["LF", "data: a\n\ndata: b\n\n", plain("a", "b")],
    ["CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", plain("a", "b")],
    ["CR", "data: a\r\rdata: b\r\r", plain("a", "b")],
    ["a byte-order mark", "\ufeffdata: a\n\n", plain("a")],
    ["several data lines", "data: a\ndata: b\ndata:\n\n", plain("a\nb\n")],
    ["comments", ": keep-alive\n\n: more\ndata: a\n: within\n\n", plain("a")],
    ["no blank behind the colon", "data:a\n\n", plain("a")],
    ["only one blank is taken", "data:  a\n\n", plain(" a")],
    ["a field without a colon", "data\n\n", plain("")],
    ["unknown fields", "id: 1\nretry: 5\nfoo: x\ndata: a\n\n", plain("a")],
    ["an event name", "event: ping\ndata: {}\n\ndata: b\n\n", [{ event: "ping", data: "{}" }, ...plain("b")]],
    ["an event without data", "event: ping\n\ndata: b\n\n", plain("b")],
    ["a last event without its blank line", "data: a\n", plain("a")],
    ["a last line without its end", "data: a\n\ndata: b", plain("a")],
    ["data that begins like another field", "dataset: a\ndata: b\n\n", plain("b")],
    ["a colon in the data", 'data: {"a":1}\n\n', plain('{"a":1}')],
  ])("reads %s", (_name, text, expected) => {
    expect(decode([text])).toEqual(expected);
  });

  it("gives the same frames for any cut, also within a character", () => {
    const piece = fc.constantFrom(
      "data: ä🎉",
      "data: x",
      "event: e",
      ": c",
      "\n",
      "\r\n",
      "\r",
      "data:",
      "\ufeff",
      "data: 中文\n\n",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.array(fc.nat(60), { maxLength: 12 }), (lines, cuts) => {
        const bytes = Buffer.from(lines.join(""));
        const at = [...new Set(cuts.filter((cut) => cut < bytes.length))].sort((a, b) => a - b);
        const pieces = [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length));
        expect(decode(pieces)).toEqual(decode([bytes]));
        expect(decode([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(decode([bytes]));
      }),
    );
  });

  it("does not depend on bytes that the caller uses again", () => {
    const decoder = new SseDecoder();
    const buffer = Buffer.from("data: ab");
    decoder.push(buffer);
    buffer.fill(0);
    expect(decoder.push(Buffer.from("c\n\n"))).toEqual(plain("abc"));
  });

  it("refuses an endless line and an endless event", () => {
    const line = new SseDecoder(100);
    expect(() => {
      for (let round = 0; round < 20; round += 1) line.push(Buffer.from("0123456789"));
    }).toThrow(FramingError);
    const event = new SseDecoder(100);
    expect(() => {
      for (let round = 0; round < 20; round += 1) event.push(Buffer.from("data: 0123456789\n"));
    }).toThrow(FramingError);
  });
});

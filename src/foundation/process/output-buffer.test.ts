import fc from "fast-check";
import { expect, test } from "vitest";
import { expectLinear } from "../testing/growth.ts";
import { OutputBuffer } from "./output-buffer.ts";

function filled(maxBytes: number, chunks: readonly (string | Uint8Array)[]): OutputBuffer {
  const buffer = new OutputBuffer(maxBytes);
  for (const chunk of chunks) buffer.push(Buffer.from(chunk));
  return buffer;
}

test("what fits is kept whole, also characters that arrive in two chunks", () => {
  const bytes = Buffer.from("grün 😀");
  const buffer = filled(100, [bytes.subarray(0, 3), bytes.subarray(3, 8), bytes.subarray(8)]);
  expect([buffer.text(), buffer.isTruncated]).toEqual(["grün 😀", false]);
});

test("of too much, the beginning and the end are kept and the rest is counted", () => {
  const buffer = filled(10, ["abcde", "fghijklmnop", "qrstuvwxyz"]);
  expect(buffer.isTruncated).toBe(true);
  expect(buffer.text()).toBe("abcde\n[... 16 bytes left out ...]\nvwxyz");
});

test("no character is cut in two", () => {
  const buffer = filled(10, ["😀".repeat(20)]);
  expect(buffer.text()).toBe("😀\n[... 72 bytes left out ...]\n😀");
});

test("any way of chunking gives the same text, within the limit", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 80 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      fc.integer({ min: 8, max: 60 }),
      (text, sizes, max) => {
        const bytes = Buffer.from(text);
        const chunks: Buffer[] = [];
        for (let at = 0, n = 0; at < bytes.length; n += 1) {
          const size = sizes[n % sizes.length] ?? 1;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        const buffer = filled(max, chunks);
        expect(buffer.text()).toBe(filled(max, [bytes]).text());
        expect(buffer.isTruncated).toBe(bytes.length > max);
        if (bytes.length <= max) expect(buffer.text()).toBe(bytes.toString());
        else if (!text.includes("\ufffd")) expect(buffer.text()).not.toContain("\ufffd");
      },
    ),
    { numRuns: 300 },
  );
});

test("a flood of small chunks takes little time and memory", () => {
  const chunk = Buffer.from("x".repeat(50));
  const flooded = (count: number): OutputBuffer => {
    const buffer = new OutputBuffer(1_000);
    for (let n = 0; n < count; n += 1) buffer.push(chunk);
    return buffer;
  };
  expectLinear(100_000, (count) => void flooded(count));
  expect(flooded(100_000).totalBytes).toBe(5_000_000);
});

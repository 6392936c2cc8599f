import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readLines, TooMuchError } from "./lines.ts";

async function lines(chunks: readonly Uint8Array[]): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const line of readLines(Readable.from(chunks))) found.push(line);
  return found;
}

describe("lines of an agent [20:R1.64]", () => {
  it("are the same however their bytes are cut", async () => {
    const word = fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n]/g, ""));
    await fc.assert(
      fc.asyncProperty(fc.array(word), fc.array(fc.nat(40)), async (texts, sizes) => {
        const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(""));
        const chunks: Uint8Array[] = [];
        let from = 0;
        for (const size of sizes) {
          chunks.push(bytes.subarray(from, from + size));
          from += size;
        }
        expect(await lines([...chunks, bytes.subarray(from)].filter((one) => one.length > 0))).toEqual(texts);
      }),
      { numRuns: 100 },
    );
  });

  it("may end in two characters, and the last one in none", async () => {
    expect(await lines([Buffer.from("a\r\nb")])).toEqual(["a", "b"]);
  });

  it("have a longest length", async () => {
    const block = Buffer.alloc(6 * 1024 * 1024, "x");
    await expect(lines([block, block, block])).rejects.toThrow(TooMuchError);
  });
});

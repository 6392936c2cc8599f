import fc from "fast-check";
import { expect, it } from "vitest";
import { UntilMark } from "./until-mark.ts";

const mark = "aab-mark";
const pieces = fc.array(
  fc.oneof(
    fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
    fc.nat(mark.length - 1).map((length) => Buffer.from(mark.slice(0, length))),
    fc.constant(Buffer.from("a")),
  ),
);

function run(chunks: readonly Uint8Array[]): Buffer {
  const until = new UntilMark(mark);
  const out = chunks.map((chunk) => until.take(chunk));
  return Buffer.concat([...out, until.rest()]);
}

it("hands on every byte before the mark and none after it, however they are cut", () => {
  fc.assert(
    fc.property(pieces, pieces, fc.array(fc.nat(40)), (before, after, cuts) => {
      const expected = Buffer.concat(before);
      fc.pre(!Buffer.concat([expected, Buffer.from(mark.slice(0, -1))]).includes(mark));
      const all = Buffer.concat([expected, Buffer.from(mark), ...after]);
      const at = [...new Set([0, ...cuts.filter((cut) => cut < all.length), all.length])].sort((a, b) => a - b);
      const chunks = at.slice(1).map((end, index) => all.subarray(at[index], end));
      expect(run(chunks).equals(expected)).toBe(true);
    }),
  );
});

it("hands on everything where no mark comes", () => {
  fc.assert(
    fc.property(pieces, (chunks) => {
      const all = Buffer.concat(chunks);
      fc.pre(!all.includes(mark));
      expect(run(chunks).equals(all)).toBe(true);
    }),
  );
});

it("keeps nothing back that cannot become the mark", () => {
  expect(Buffer.from(new UntilMark(mark).take(Buffer.from("ok\n"))).toString()).toBe("ok\n");
});

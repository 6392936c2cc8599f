import { describe, expect, it } from "vitest";
import { Pacing } from "./compression.ts";

const window = 200_000;
const at = (tokens: number, model = "a") => ({ tokens, window, model });
const saved = (savingsPct: number) => ({ ...at(100_000), savingsPct });

describe("compression that does not help [10:COMP-36]", () => {
  it("is suspended after the second time in a row, and says so once", () => {
    const pacing = new Pacing();
    expect(pacing.note(saved(5))).toBe(false);
    expect(pacing.isSuspended).toBe(false);
    expect(pacing.note(saved(5))).toBe(true);
    expect(pacing.note(saved(5))).toBe(false);
    expect(pacing.blocks(at(119_999))).toBe(true);
  });

  it("is tried again when the context grew by a fifth or under another model [10:D42]", () => {
    for (const now of [at(120_000), at(100_000, "b")]) {
      const pacing = new Pacing();
      pacing.note(saved(5));
      pacing.note(saved(9.9));
      expect(pacing.blocks(now)).toBe(false);
      expect(pacing.blocks(at(100_000))).toBe(false);
    }
  });

  it("is forgotten when one in between helped", () => {
    const pacing = new Pacing();
    pacing.note(saved(5));
    pacing.note(saved(10));
    expect(pacing.note(saved(5))).toBe(false);
  });
});

describe("the time between two compressions", () => {
  it("is at least what fills an eighth of the window", () => {
    const pacing = new Pacing();
    pacing.note(saved(40));
    expect(pacing.blocks(at(124_999))).toBe(true);
    expect(pacing.blocks(at(125_000))).toBe(false);
  });

  it("is cut short when the window is nearly full, and by another model", () => {
    const pacing = new Pacing();
    pacing.note({ ...at(189_000), savingsPct: 15 });
    expect(pacing.blocks(at(189_999))).toBe(true);
    expect(pacing.blocks(at(190_000))).toBe(false);
    expect(pacing.blocks(at(189_999, "b"))).toBe(false);
  });
});

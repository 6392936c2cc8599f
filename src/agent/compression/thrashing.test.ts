import { describe, expect, it } from "vitest";
import { Thrashing } from "./compression.ts";

const saved = (savingsPct: number) => ({ savingsPct, tokens: 100_000, model: "a" });

describe("compression that does not help [10:COMP-36]", () => {
  it("is suspended after the second time in a row, and says so once", () => {
    const thrashing = new Thrashing();
    expect(thrashing.note(saved(5))).toBe(false);
    expect(thrashing.blocks({ tokens: 100_000, model: "a" })).toBe(false);
    expect(thrashing.note(saved(5))).toBe(true);
    expect(thrashing.note(saved(5))).toBe(false);
    expect(thrashing.blocks({ tokens: 119_999, model: "a" })).toBe(true);
  });

  it("is tried again when the context grew by a fifth, under another model, or after a reset", () => {
    for (const lift of [
      (one: Thrashing) => one.blocks({ tokens: 120_000, model: "a" }),
      (one: Thrashing) => one.blocks({ tokens: 100_000, model: "b" }),
      (one: Thrashing) => {
        one.reset();
        return false;
      },
    ]) {
      const thrashing = new Thrashing();
      thrashing.note(saved(5));
      thrashing.note(saved(9.9));
      expect(lift(thrashing)).toBe(false);
      expect(thrashing.blocks({ tokens: 100_000, model: "a" })).toBe(false);
    }
  });

  it("is forgotten when one in between helped", () => {
    const thrashing = new Thrashing();
    thrashing.note(saved(5));
    thrashing.note(saved(10));
    expect(thrashing.note(saved(5))).toBe(false);
  });
});

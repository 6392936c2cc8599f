import { describe, expect, it } from "vitest";
import { Redactor } from "#foundation/secrets/redact";
import { MaskMemory } from "./mask-memory.ts";

describe("masks that were shown", () => {
  it("are recognised when they come back, and only they [30:9.1]", () => {
    const masks = new MaskMemory(new Redactor());
    const shown = masks.redact("A=1\nOPENAI_API_KEY=sk-abcdefghijklmnop1234\nB=2");
    expect(shown).not.toContain("sk-abcdefghijklmnop1234");
    expect(masks.find(shown)).toBeDefined();
    expect(masks.find("A=1\nB=2")).toBeUndefined();
    expect(masks.find("a rule of stars *** in markdown")).toBeUndefined();
    expect(new MaskMemory(new Redactor()).find(shown)).toBeUndefined();
  });

  it("are remembered for exact values too", () => {
    const redactor = new Redactor();
    redactor.add("correct horse battery");
    const masks = new MaskMemory(redactor);
    const shown = masks.redact("password: correct horse battery");
    expect(masks.find(`${shown}\nmore`)).toBeDefined();
  });
});

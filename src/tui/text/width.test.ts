import fc from "fast-check";
import { expect, it } from "vitest";
import { displayWidth as exactWidth } from "#foundation/text/width";
import { displayWidth } from "./width.ts";

it("the fast count agrees with the exact one, for every character and any text [20:R10.3]", () => {
  for (let code = 0x20; code < 0x3000; code += 1) {
    const text = String.fromCharCode(code);
    expect(displayWidth(text), code.toString(16)).toBe(exactWidth(text));
  }
  const piece = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom("─", "❯", "⚕", "✍️", "👩‍👧", "日", "é", "\ufe0f"),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      expect(displayWidth(pieces.join(""))).toBe(exactWidth(pieces.join("")));
    }),
  );
});

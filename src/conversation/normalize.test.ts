import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assistantMessage, userMessage } from "./message.ts";
import { canonicalArguments, normalizeMessage } from "./normalize.ts";
import { newToolCall } from "./tool-call.ts";

describe("the byte-stable form of a message", () => {
  it("has trimmed text and canonical arguments [10:LOOP-13]", () => {
    const message = assistantMessage("  hi \n", {
      tool_calls: [newToolCall({ id: "a", name: "f", arguments: '{ "b": 1, "a": {"z": "é", "y": []} }' })],
    });
    const normal = normalizeMessage(message);
    expect(normal.content).toBe("hi");
    expect(normal.tool_calls?.[0]?.function.arguments).toBe('{"a":{"y":[],"z":"é"},"b":1}');
  });

  it("is the same object when nothing was to do", () => {
    const user = userMessage("hi");
    const asking = assistantMessage("x", { tool_calls: [newToolCall({ id: "a", name: "f", arguments: "{}" })] });
    expect(normalizeMessage(user)).toBe(user);
    expect(normalizeMessage(asking)).toBe(asking);
  });

  it("leaves arguments alone that are not a JSON object", () => {
    expect(canonicalArguments("{broken")).toBe("{broken");
    expect(canonicalArguments("[1, 2]")).toBe("[1, 2]");
    expect(canonicalArguments(" ")).toBe("{}");
  });

  it("does not depend on spacing or key order, and keeps the value", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const canonical = canonicalArguments(JSON.stringify(value, null, 3));
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalArguments(JSON.stringify(reversed))).toBe(canonical);
        expect(JSON.parse(canonical)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

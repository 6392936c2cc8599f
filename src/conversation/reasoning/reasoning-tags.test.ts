import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasUnclosedReasoning, splitReasoning } from "./reasoning-tags.ts";

describe("visible text", () => {
  it.each([
    ["<think>a</think>Hello", "Hello"],
    ["</think>Answer", "Answer"],
    ["Use the `<think>` tag", "Use the `<think>` tag"],
    ["<THINKING>\na\nb\n</THINKING>\n\nHi", "Hi"],
    ["<reasoning>x</reasoning>A<thought>y</thought>B", "AB"],
    ["<REASONING_SCRATCHPAD>plan</REASONING_SCRATCHPAD>Done", "Done"],
    ["Answer\n<think>never closed", "Answer"],
    ["<think>only thought", ""],
    ["a <tool_call>{}</tool_call> b", "a  b"],
    ['Done. <function name="x">y</function>', "Done."],
    ['The markup <function name="x">y</function> is old', 'The markup <function name="x">y</function> is old'],
    ["left over </tool_call> here", "left over  here"],
    ["```html\n<think>\n```\nrest", "```html\n<think>\n```\nrest"],
    ["~~~\n</think>\n~~~", "~~~\n</think>\n~~~"],
    ["1 < 2 and 3 > 2", "1 < 2 and 3 > 2"],
    ["<thinker>kept</thinker>", "<thinker>kept</thinker>"],
    ["  spaced  ", "spaced"],
  ])("of %j is %j [10:LOOP-45] [20:R1.4]", (text, expected) => {
    expect(splitReasoning(text).visible).toBe(expected);
  });

  it("hands over what stood between the tags [10:LOOP-45] [20:R1.3]", () => {
    expect(splitReasoning("<think>one</think>A<thinking>two</thinking>B").reasoning).toBe("one\n\ntwo");
    expect(splitReasoning("A\n<think>cut").reasoning).toBe("cut");
  });

  it("knows a reply that was cut while thinking [10:LOOP-38]", () => {
    expect(hasUnclosedReasoning("<REASONING_SCRATCHPAD>half")).toBe(true);
    expect(hasUnclosedReasoning("<REASONING_SCRATCHPAD>all</REASONING_SCRATCHPAD> yes")).toBe(false);
    expect(hasUnclosedReasoning("the `<think>` tag")).toBe(false);
  });

  it("has no reasoning tag left outside code, whatever the text", () => {
    const piece = fc.constantFrom(
      "<think>",
      "</think>",
      "<thought>",
      "</THOUGHT>",
      "a",
      "\n",
      " ",
      "</tool_call>",
      "<",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const visible = splitReasoning(pieces.join("")).visible;
        expect(visible).not.toMatch(/<\/?(think|thought)>/i);
      }),
      { numRuns: 2_000 },
    );
  });

  it("leaves text without tags alone but for its edges", () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes("<")),
        (text) => {
          expect(splitReasoning(text).visible).toBe(text.trim());
        },
      ),
    );
  });

  it("reads a long text full of open tags in linear time", () => {
    const text = "<think> `".repeat(50_000);
    expect(splitReasoning(text).visible).toBe("");
    expect(splitReasoning(`x ${"<tool_call>".repeat(50_000)}`).visible.startsWith("x <tool_call>")).toBe(true);
  });
});

import { describe, expect, it } from "vitest";
import { assistantMessage } from "../message.ts";
import { replayedReasoning, structuredReasoning } from "./reasoning.ts";

describe("reasoning for people", () => {
  it("comes from the provider's fields in order, each text once [10:LOOP-46] [20:R1.2]", () => {
    expect(
      structuredReasoning({
        reasoning: "plan",
        reasoning_content: "plan",
        reasoning_details: [
          { type: "reasoning.summary", summary: "short" },
          { type: "thinking", thinking: "long" },
          { type: "reasoning.text", text: "plan" },
          { content: [{ text: "x" }, "y"] },
          { type: "encrypted", data: "…" },
        ],
      }),
    ).toBe("plan\n\nshort\n\nlong\n\nx\ny");
  });

  it("is absent, not empty, when no field holds any [10:LOOP-46]", () => {
    expect(structuredReasoning({ reasoning: null, reasoning_content: "", reasoning_details: [{}] })).toBeUndefined();
  });
});

describe("reasoning sent back", () => {
  it("is the provider's own text, also when empty [10:LOOP-47]", () => {
    const message = assistantMessage("x", { reasoning: "mine", reasoning_content: "" });
    expect(replayedReasoning(message, { fieldIsRequired: false })).toBe("");
  });

  it("falls back to the plain reasoning, then to what the provider insists on [10:LOOP-47]", () => {
    expect(replayedReasoning(assistantMessage("x", { reasoning: "mine" }), { fieldIsRequired: false })).toBe("mine");
    expect(replayedReasoning(assistantMessage("x"), { fieldIsRequired: true })).toBe("");
    expect(replayedReasoning(assistantMessage("x", { reasoning: null }), { fieldIsRequired: false })).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import { history, lowered } from "../../testing/lowered.ts";

describe("Bedrock Converse", () => {
  it("writes blocks, a default output limit and tools that the history mentions [20:R1.65] [20:R1.57]", async () => {
    const { path, body } = await lowered({
      protocol: "bedrock_converse",
      system: "S",
      target: { model: "amazon.nova-pro-v1:0" },
      messages: history,
      quirks: { extraBody: { guardrailConfig: { guardrailIdentifier: "g" } } },
    });
    expect(path).toBe("/model/amazon.nova-pro-v1%3A0/converse-stream");
    expect(body.inferenceConfig).toEqual({ maxTokens: 4096 });
    expect(body.system).toEqual([{ text: "S" }]);
    expect(body.toolConfig.tools[0].toolSpec.name).toBe("read_file");
    expect(body.guardrailConfig).toEqual({ guardrailIdentifier: "g" });
    expect(body.messages[2].content[0].toolResult).toEqual({
      toolUseId: "call_1",
      content: [{ text: "text" }],
      status: "success",
    });
  });
});

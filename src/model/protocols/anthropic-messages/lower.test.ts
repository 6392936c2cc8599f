import { describe, expect, it } from "vitest";
import type { Message } from "#conversation";
import { call, history, lowered } from "../../testing/lowered.ts";
import { readFileTool } from "../../testing/target.ts";

const claude = {
  protocol: "anthropic_messages",
  target: { model: "claude-sonnet-4-5", baseUrl: "https://api.anthropic.com" },
} as const;

describe("messages of Anthropic", () => {
  it("has its own path, version and fields [20:R1.41] [20:R1.45] [20:R1.51]", async () => {
    const { path, headers, body } = await lowered({
      ...claude,
      system: "S",
      tools: [readFileTool],
      messages: history,
      options: { toolChoice: "auto", reasoning: "none" },
    });
    expect(path).toBe("/v1/messages");
    expect(headers["anthropic-version"]).toBe("2023-06-01");
    expect(headers["anthropic-beta"]).toBe("interleaved-thinking-2025-05-14,fine-grained-tool-streaming-2025-05-14");
    expect(body.system).toBe("S");
    expect(body.tool_choice).toEqual({ type: "auto" });
    expect(body.tools).toEqual([
      { name: "read_file", description: "Reads a file.", input_schema: readFileTool.parameters },
    ]);
    expect(body.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "Read it" }] },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "call_1", name: "read_file", input: { a: { c: 3, d: 2 }, b: 1 } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "text" }] },
    ]);
  });

  it.each([
    ["required", { type: "any" }],
    [{ name: "read_file" }, { type: "tool", name: "read_file" }],
  ] as const)("forces calls as %o, without thinking [20:R1.45]", async (toolChoice, expected) => {
    const { body } = await lowered({ ...claude, tools: [readFileTool], options: { toolChoice } });
    expect(body.tool_choice).toEqual(expected);
    expect(body.thinking).toBeUndefined();
  });

  it("leaves the tools out when none may be called [20:R1.45]", async () => {
    const { body } = await lowered({ ...claude, tools: [readFileTool], options: { toolChoice: "none" } });
    expect(body.tools).toBeUndefined();
  });

  const signed = (text: string) => ({ type: "thinking", thinking: text, signature: `sig-${text}` });
  const thinkingHistory: readonly Message[] = [
    { role: "user", content: "q1" },
    { role: "assistant", content: "a1", reasoning_details: [signed("one")] },
    { role: "user", content: "q2" },
    {
      role: "assistant",
      content: "a3",
      reasoning_details: [signed("three"), { type: "redacted_thinking", data: "D" }],
    },
  ];

  it("leaves signed thinking where it was sent, so that the prompt only grows over turns [20:R1.43] [10:LOOP-48]", async () => {
    const one = (await lowered({ ...claude, messages: thinkingHistory.slice(0, 2) })).body.messages;
    const next: readonly Message[] = [...thinkingHistory.slice(0, 3)];
    const two = (await lowered({ ...claude, messages: next })).body.messages;
    expect(one[1].content[0]).toEqual(signed("one"));
    expect(JSON.stringify(two).startsWith(JSON.stringify(one).slice(0, -1))).toBe(true);
  });

  it("replays none to other hosts [20:R1.43] [20:A1.9]", async () => {
    const { body } = await lowered({
      ...claude,
      target: { model: "MiniMax-M2.7", baseUrl: "https://api.minimax.io/anthropic" },
      messages: thinkingHistory,
    });
    expect(JSON.stringify(body.messages)).not.toContain("thinking");
  });

  it("keeps the thinking of the whole open tool turn, so that the prompt only grows [20:R1.43]", async () => {
    const turn = (steps: number): readonly Message[] => [
      { role: "user", content: "q" },
      ...Array.from({ length: steps }, (_, at): readonly Message[] => [
        { role: "assistant", content: "", reasoning_details: [signed(`${at}`)], tool_calls: [call(`c${at}`, "{}")] },
        { role: "tool", content: `r${at}`, tool_call_id: `c${at}`, tool_name: "read_file" },
      ]).flat(),
    ];
    const one = (await lowered({ ...claude, messages: turn(1) })).body.messages;
    const two = (await lowered({ ...claude, messages: turn(2) })).body.messages;
    expect(JSON.stringify(two).startsWith(JSON.stringify(one).slice(0, -1))).toBe(true);
  });

  it("turns unsigned thinking into text [20:R1.43] [10:LOOP-48]", async () => {
    const messages: readonly Message[] = [
      { role: "user", content: "q" },
      { role: "assistant", content: "a", reasoning_details: [{ type: "thinking", thinking: "hm" }] },
    ];
    const { body } = await lowered({ ...claude, messages });
    expect(body.messages[1].content).toEqual([
      { type: "text", text: "hm" },
      { type: "text", text: "a" },
    ]);
  });

  it("gives Kimi unsigned thinking made from reasoning_content, also an empty one [20:R1.43]", async () => {
    const messages: readonly Message[] = [
      { role: "user", content: "q" },
      { role: "assistant", content: "a", reasoning_content: "" },
      { role: "user", content: "q" },
      { role: "assistant", content: "b", reasoning_details: [signed("x")], reasoning_content: "why" },
    ];
    const { body } = await lowered({ ...claude, quirks: { thinkingReplay: "unsigned" }, messages });
    expect(body.messages[1].content[0]).toEqual({ type: "thinking", thinking: "" });
    expect(body.messages[3].content[0]).toEqual({ type: "thinking", thinking: "why" });
  });

  it.each([
    ["claude-sonnet-4-6", "xhigh", "max"],
    ["claude-sonnet-4-6", "minimal", "low"],
    ["claude-opus-4-7", "xhigh", "xhigh"],
    ["claude-opus-4.7", "high", "high"],
  ] as const)("asks %s for effort %s as %s [20:R1.54] [20:A1.10]", async (model, reasoning, effort) => {
    const { body } = await lowered({
      protocol: "anthropic_messages",
      target: { model },
      options: { reasoning, temperature: 0.3 },
    });
    expect(body.thinking).toEqual({ type: "adaptive", display: "summarized" });
    expect(body.output_config).toEqual({ effort });
    expect(body.temperature).toBeUndefined();
  });

  it.each([
    ["none", undefined],
    ["minimal", 4_000],
    ["medium", 8_000],
    ["high", 16_000],
    ["xhigh", 32_000],
  ] as const)("gives older Claude a budget for effort %s [20:R1.54] [20:R1.46]", async (reasoning, budget) => {
    const { body } = await lowered({ ...claude, options: { reasoning, maxOutputTokens: 1_000 } });
    expect(body.thinking?.budget_tokens).toBe(budget);
    expect(body.max_tokens).toBe(budget === undefined ? 1_000 : budget + 4_096);
    if (budget !== undefined) expect(body.temperature).toBe(1);
  });

  it("never lets Haiku think, and Claude 4.7 never hears of a temperature [20:R1.54]", async () => {
    const haiku = await lowered({
      protocol: "anthropic_messages",
      target: { model: "claude-haiku-4-5" },
      options: { reasoning: "high" },
    });
    expect(haiku.body.thinking).toBeUndefined();
    const quiet = await lowered({
      protocol: "anthropic_messages",
      target: { model: "claude-opus-4-7" },
      options: { reasoning: "none", temperature: 0.2 },
    });
    expect(quiet.body.temperature).toBeUndefined();
  });

  it("limits the output to what the window leaves [20:R1.46]", async () => {
    const limits = { contextWindow: 10_000, maxOutputTokens: 64_000 };
    const { body } = await lowered({
      protocol: "anthropic_messages",
      target: { limits },
      options: { reasoning: "none" },
    });
    expect(body.max_tokens).toBe(9_999);
  });

  it("names the model without its vendor and with hyphens [20:R1.49]", async () => {
    const target = { model: "anthropic/claude-opus-4.6" };
    const hyphenated = await lowered({ protocol: "anthropic_messages", target, quirks: { hyphenatedModel: true } });
    expect(hyphenated.body.model).toBe("claude-opus-4-6");
    expect((await lowered({ protocol: "anthropic_messages", target })).body.model).toBe("claude-opus-4.6");
  });

  it("leaves the tool-streaming beta out for MiniMax and adds fast mode on the native host only [20:R1.51]", async () => {
    const minimax = await lowered({
      protocol: "anthropic_messages",
      target: { baseUrl: "https://api.minimax.io/anthropic" },
    });
    expect(minimax.headers["anthropic-beta"]).toBe("interleaved-thinking-2025-05-14");
    const fast = await lowered({ ...claude, options: { serviceTier: "fast" } });
    expect(fast.headers["anthropic-beta"]).toContain("fast-mode-2026-02-01");
    expect(fast.body.speed).toBe("fast");
    const other = await lowered({ protocol: "anthropic_messages", options: { serviceTier: "fast" } });
    expect(other.body.speed).toBeUndefined();
  });

  it("speaks to Claude on Bedrock in the same body [20:R1.65]", async () => {
    const target = {
      model: "us.anthropic.claude-sonnet-4-6",
      baseUrl: "https://bedrock-runtime.us-east-1.amazonaws.com",
    };
    const { path, body } = await lowered({ protocol: "anthropic_messages", target });
    expect(path).toBe("/model/us.anthropic.claude-sonnet-4-6/invoke-with-response-stream");
    expect(body.anthropic_version).toBe("bedrock-2023-05-31");
    expect(body.model).toBeUndefined();
    expect(body.stream).toBeUndefined();
  });

  it("cleans ids and keeps call and result together [20:R1.42]", async () => {
    const messages: readonly Message[] = [
      { role: "user", content: "q" },
      { role: "assistant", content: "", tool_calls: [call("a.b:1", "{}"), call("a b:1", "{}")] },
      { role: "tool", content: "1", tool_call_id: "a.b:1", tool_name: "x" },
      { role: "tool", content: "2", tool_call_id: "a b:1", tool_name: "x" },
    ];
    const { body } = await lowered({ ...claude, messages });
    const uses = body.messages[1].content.map((block: { id: string }) => block.id);
    expect(new Set(uses).size).toBe(2);
    expect(body.messages[2].content.map((block: { tool_use_id: string }) => block.tool_use_id)).toEqual(uses);
  });
});

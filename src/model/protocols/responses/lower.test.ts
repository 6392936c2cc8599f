import { describe, expect, it } from "vitest";
import type { Message } from "#conversation";
import { call, history, lowered, png } from "../../testing/lowered.ts";
import { readFileTool } from "../../testing/target.ts";

describe("responses", () => {
  it("puts the system text into instructions and stores nothing [20:R1.29] [20:R1.30] [20:R1.34]", async () => {
    const { path, body } = await lowered({
      protocol: "codex_responses",
      system: "S",
      tools: [readFileTool],
      target: { model: "gpt-5.4" },
      quirks: { acceptsPromptCacheKey: true },
      options: { cacheKey: "k" },
    });
    expect(path).toBe("/responses");
    expect(body).toMatchObject({
      instructions: "S",
      store: false,
      tool_choice: "auto",
      parallel_tool_calls: true,
      include: ["reasoning.encrypted_content"],
      reasoning: { effort: "medium", summary: "auto" },
      prompt_cache_key: "k",
    });
    expect(body.tools[0]).toMatchObject({ type: "function", name: "read_file", strict: false });
    expect((await lowered({ protocol: "codex_responses" })).body.instructions).not.toBe("");
  });

  it("writes the history as items [20:R1.31] [20:R1.32] [20:R1.33]", async () => {
    const { body } = await lowered({ protocol: "codex_responses", messages: history });
    expect(body.input).toEqual([
      { role: "user", content: "Read it" },
      { type: "reasoning", summary: [], encrypted_content: "E" },
      { type: "function_call", call_id: "call_1", name: "read_file", arguments: '{"a":{"c":3,"d":2},"b":1}' },
      { type: "function_call_output", call_id: "call_1", output: "text" },
    ]);
  });

  it("follows reasoning that led to nothing by an empty message, and sends it once [20:R1.32] [20:A1.8]", async () => {
    const item = {
      type: "reasoning",
      id: "rs_1",
      encrypted_content: "E",
      summary: [{ type: "summary_text", text: "s" }],
    };
    const messages: readonly Message[] = [
      { role: "user", content: "a" },
      { role: "assistant", content: "", codex_reasoning_items: [item] },
      { role: "user", content: "b" },
      { role: "assistant", content: "c", codex_reasoning_items: [item] },
    ];
    const { body } = await lowered({ protocol: "codex_responses", messages });
    expect(body.input).toEqual([
      { role: "user", content: "a" },
      { type: "reasoning", summary: [{ type: "summary_text", text: "s" }], encrypted_content: "E" },
      { role: "assistant", content: "" },
      { role: "user", content: "b" },
      { role: "assistant", content: "c" },
    ]);
  });

  it("replays exact message items, with their id only beside their reasoning [20:R1.31]", async () => {
    const item = {
      type: "message",
      id: "msg_1",
      role: "assistant",
      phase: "final_answer",
      status: "completed",
      content: [{ type: "output_text", text: "c", annotations: [], logprobs: [] }],
    };
    const reasoning = { type: "reasoning", id: "rs_1", encrypted_content: "E", summary: [] };
    const sent = async (items: readonly unknown[]) =>
      (
        await lowered({
          protocol: "codex_responses",
          messages: [
            { role: "user", content: "a" },
            { role: "assistant", content: "c", codex_message_items: [item], codex_reasoning_items: items },
          ],
        })
      ).body.input.at(-1);
    const expected = {
      type: "message",
      role: "assistant",
      phase: "final_answer",
      status: "completed",
      content: [{ type: "output_text", text: "c" }],
    };
    expect(await sent([])).toEqual(expected);
    expect(await sent([reasoning])).toEqual({ ...expected, id: "msg_1" });
  });

  it("splits stored ids of both kinds [20:R1.33] [10:LOOP-10]", async () => {
    const messages: readonly Message[] = [
      { role: "user", content: "a" },
      { role: "assistant", content: "", tool_calls: [call("call_X|fc_Y", "{}")] },
      { role: "tool", content: "r", tool_call_id: "call_X|fc_Y", tool_name: "x" },
    ];
    const { body } = await lowered({ protocol: "codex_responses", messages });
    expect(body.input[1].call_id).toBe("call_X");
    expect(body.input[2].call_id).toBe("call_X");
  });

  it.each([
    ["responses", "minimal", { effort: "low", summary: "auto" }, ["reasoning.encrypted_content"]],
    ["responses", "xhigh", { effort: "xhigh", summary: "auto" }, ["reasoning.encrypted_content"]],
    ["responses", "none", undefined, []],
    ["responses-include-only", "high", undefined, ["reasoning.encrypted_content"]],
    ["copilot", "high", { effort: "high" }, ["reasoning.encrypted_content"]],
  ] as const)("asks %s for effort %s [20:R1.35] [20:R1.54]", async (style, reasoning, expected, include) => {
    const { body } = await lowered({
      protocol: "codex_responses",
      target: { model: "gpt-5.4" },
      quirks: { reasoning: style, listedEfforts: ["high"], acceptsPromptCacheKey: true },
      options: { reasoning, cacheKey: "k" },
    });
    expect(body.reasoning).toEqual(expected);
    expect(body.include).toEqual(include);
    expect(body.prompt_cache_key).toBe(style === "copilot" ? undefined : "k");
  });

  it("tells Codex and xAI the session in headers, and Codex no output limit [20:R1.40]", async () => {
    const codex = await lowered({
      protocol: "codex_responses",
      target: { baseUrl: "https://chatgpt.com/backend-api/codex" },
      quirks: { outputLimitField: "none" },
      options: { cacheKey: "s1", maxOutputTokens: 100 },
    });
    expect(codex.headers).toMatchObject({ session_id: "s1", "x-client-request-id": "s1" });
    expect(codex.body.max_output_tokens).toBeUndefined();
    const xai = await lowered({
      protocol: "codex_responses",
      target: { baseUrl: "https://api.x.ai/v1" },
      options: { cacheKey: "s1" },
    });
    expect(xai.headers["x-grok-conv-id"]).toBe("s1");
  });

  it("writes images as input parts, also of tool results [20:R1.31]", async () => {
    const content = [
      { type: "text", text: "see" },
      { type: "image_url", image_url: { url: png, detail: "low" } },
    ] as const;
    const { body } = await lowered({ protocol: "codex_responses", messages: [{ role: "user", content }] });
    expect(body.input[0].content).toEqual([
      { type: "input_text", text: "see" },
      { type: "input_image", image_url: png, detail: "low" },
    ]);
  });
});

import { describe, expect, it } from "vitest";
import type { Message } from "#conversation";
import { defined } from "#foundation/defined";
import { prepareRequest } from "../../prepare.ts";
import { call, history, lowered, png } from "../../testing/lowered.ts";
import { readFileTool, testRequest } from "../../testing/target.ts";

describe("chat completions", () => {
  it("asks for a stream with usage, in the order of the wire [20:R1.18]", async () => {
    const { path, body } = await lowered({ system: "S", tools: [readFileTool] });
    expect(path).toBe("/chat/completions");
    expect(body).toEqual({
      model: "test-model",
      messages: [
        { role: "system", content: "S" },
        { role: "user", content: "hi" },
      ],
      tools: [
        {
          type: "function",
          function: { name: "read_file", description: "Reads a file.", parameters: readFileTool.parameters },
        },
      ],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it("leaves internal fields behind and keeps the history as it was [20:R1.19] [20:A1.12] [10:LOOP-9]", async () => {
    const before = JSON.stringify(history);
    const { body } = await lowered({ messages: history });
    expect(body.messages[1]).toEqual({
      role: "assistant",
      content: "",
      reasoning_content: "I should read.",
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "read_file", arguments: '{"a":{"c":3,"d":2},"b":1}' } },
      ],
    });
    expect(body.messages[2]).toEqual({ role: "tool", content: "text", tool_call_id: "call_1" });
    expect(JSON.stringify(history)).toBe(before);
  });

  it("trims text and sorts the keys of arguments [20:R1.67] [10:LOOP-13]", async () => {
    const { body } = await lowered({ messages: history });
    expect(body.messages[0].content).toBe("Read it");
    expect(body.messages[1].tool_calls[0].function.arguments).toBe('{"a":{"c":3,"d":2},"b":1}');
  });

  it.each([
    "chat_completions",
    "anthropic_messages",
    "codex_responses",
    "gemini_generate",
    "bedrock_converse",
  ] as const)("writes the same request twice with the same bytes: %s [20:A1.14]", async (protocol) => {
    const bodies = await Promise.all(
      [1, 2].map(
        async () =>
          (await prepareRequest(testRequest({ protocol, messages: history, tools: [readFileTool] }))).wire.body,
      ),
    );
    expect(bodies[0]).toBe(bodies[1]);
  });

  it.each([
    ["gpt-5.4", "developer"],
    ["codex-mini", "developer"],
    ["gpt-4.1", "system"],
  ])("sends the system message of %s as %s [20:R1.20]", async (model, role) => {
    const { body } = await lowered({ system: "S", target: { model } });
    expect(body.messages[0].role).toBe(role);
  });

  it("replays reasoning: as it came, else copied, else empty where required, else absent [20:R1.21] [20:A1.11] [10:LOOP-47]", async () => {
    const messages: readonly Message[] = [
      { role: "user", content: "a" },
      { role: "assistant", content: "1", reasoning_content: "", reasoning: "ignored" },
      { role: "user", content: "b" },
      { role: "assistant", content: "2", reasoning: "thought" },
      { role: "user", content: "c" },
      { role: "assistant", content: "3", tool_calls: [call("c3", "{}")] },
      { role: "tool", content: "x", tool_call_id: "c3", tool_name: "read_file" },
    ];
    const sent = async (requires: boolean) =>
      (await lowered({ messages, quirks: { requiresReasoningContent: requires } })).body.messages
        .filter((message: { role: string }) => message.role === "assistant")
        .map((message: { reasoning_content?: string }) => message.reasoning_content);
    expect(await sent(false)).toEqual(["", "thought", undefined]);
    expect(await sent(true)).toEqual(["", "thought", ""]);
  });

  it("sends a thought signature back untouched [20:R1.22] [20:A1.6]", async () => {
    const extra = { google: { thought_signature: "S" } };
    const messages: readonly Message[] = [
      { role: "user", content: "a" },
      { role: "assistant", content: "", tool_calls: [call("c1", "{}", { extra_content: extra })] },
      { role: "tool", content: "x", tool_call_id: "c1", tool_name: "read_file" },
    ];
    expect((await lowered({ messages })).body.messages[1].tool_calls[0].extra_content).toEqual(extra);
    const gemini = await lowered({ protocol: "gemini_generate", target: { model: "gemini-3-pro" }, messages });
    expect(gemini.body.contents[1].parts[0]).toEqual({
      functionCall: { name: "read_file", args: {} },
      thoughtSignature: "S",
    });
  });

  it("keeps reasoning_details, but not blocks of another wire [20:R1.19]", async () => {
    const routed = { type: "reasoning.text", text: "x", signature: "sig" };
    const messages: readonly Message[] = [
      { role: "user", content: "a" },
      {
        role: "assistant",
        content: "b",
        reasoning_details: [routed, { type: "thinking", thinking: "t", signature: "s" }],
      },
    ];
    expect((await lowered({ messages })).body.messages[1].reasoning_details).toEqual([routed]);
  });

  it.each([
    [{}, "max_tokens"],
    [{ outputLimitField: "max_completion_tokens" as const }, "max_completion_tokens"],
    [{ outputLimitField: "none" as const }, undefined],
  ])("names the output limit as the endpoint does: %o [20:R1.57] [20:A1.1]", async (quirks, field) => {
    const { body } = await lowered({ quirks, options: { maxOutputTokens: 77 } });
    const found = ["max_tokens", "max_completion_tokens"].filter((name) => name in body);
    expect(found).toEqual(field === undefined ? [] : [field]);
    if (field !== undefined) expect(body[field]).toBe(77);
  });

  it("prefers the one-shot output limit, then the usual one, then none [20:R1.57]", async () => {
    const limits = { contextWindow: 1_000, defaultOutputTokens: 50 };
    expect((await lowered({ target: { limits }, options: { maxOutputTokens: 5 } })).body.max_tokens).toBe(5);
    expect((await lowered({ target: { limits } })).body.max_tokens).toBe(50);
    expect((await lowered({})).body.max_tokens).toBeUndefined();
  });

  it.each([
    ["none", { reasoning: { enabled: false } }],
    ["minimal", { reasoning: { enabled: true, effort: "minimal" } }],
    ["xhigh", { reasoning: { enabled: true, effort: "xhigh" } }],
    [undefined, { reasoning: { enabled: true, effort: "medium" } }],
  ] as const)("asks OpenRouter for effort %s [20:R1.54]", async (reasoning, expected) => {
    const target = { model: "anthropic/claude-sonnet-4.6", baseUrl: "https://openrouter.ai/api/v1" };
    const options = defined({ reasoning });
    const { body } = await lowered({ target, quirks: { reasoning: "openrouter" }, options });
    expect(body).toMatchObject(expected);
  });

  it("asks OpenRouter for reasoning only where models take it; Nous hears nothing of `none` [20:R1.54]", async () => {
    const quirks = { reasoning: "openrouter" } as const;
    const plain = await lowered({ target: { model: "z-ai/glm-5.1", baseUrl: "https://openrouter.ai/api/v1" }, quirks });
    expect(plain.body.reasoning).toBeUndefined();
    const nous = await lowered({
      target: { baseUrl: "https://inference-api.nousresearch.com/v1" },
      quirks: { ...quirks, omitDisabledReasoning: true },
      options: { reasoning: "none" },
    });
    expect(nous.body.reasoning).toBeUndefined();
  });

  it.each([
    ["none", { thinking: { type: "disabled" } }],
    ["minimal", { thinking: { type: "enabled" }, reasoning_effort: "medium" }],
    ["low", { reasoning_effort: "low" }],
    ["high", { reasoning_effort: "high" }],
    ["xhigh", { reasoning_effort: "medium" }],
  ] as const)("asks Kimi for effort %s, without a temperature [20:R1.54]", async (reasoning, expected) => {
    const { body } = await lowered({
      quirks: { reasoning: "kimi", omitTemperature: true },
      options: { reasoning, temperature: 0.5 },
    });
    expect(body).toMatchObject(expected);
    expect(body.temperature).toBeUndefined();
  });

  it.each([
    ["xhigh", ["low", "high"], "high"],
    ["minimal", ["low", "high"], "low"],
    ["medium", ["low", "high"], undefined],
    ["none", ["low", "high"], undefined],
  ] as const)(
    "asks Copilot for effort %s only where it is listed [20:R1.54]",
    async (reasoning, listedEfforts, expected) => {
      const { body } = await lowered({ quirks: { reasoning: "copilot", listedEfforts }, options: { reasoning } });
      expect(body.reasoning_effort).toBe(expected);
    },
  );

  it("switches the thinking of Ollama off [20:R1.54]", async () => {
    expect((await lowered({ quirks: { reasoning: "ollama" }, options: { reasoning: "none" } })).body.think).toBe(false);
    expect(
      (await lowered({ quirks: { reasoning: "ollama" }, options: { reasoning: "high" } })).body.think,
    ).toBeUndefined();
  });

  it("gives extra fields the last word", async () => {
    const { body } = await lowered({
      quirks: { extraBody: { options: { num_ctx: 8192 }, temperature: 0.1 } },
      options: { temperature: 0.9, extraBody: { temperature: 0 } },
    });
    expect(body).toMatchObject({ options: { num_ctx: 8192 }, temperature: 0 });
  });

  it("tells Copilot who asked and that there are images", async () => {
    const target = { baseUrl: "https://api.githubcopilot.com" };
    const user = await lowered({
      target,
      messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: png } }] }],
    });
    expect(user.headers).toMatchObject({ "x-initiator": "user", "copilot-vision-request": "true" });
    const agent = await lowered({ target, messages: history });
    expect(agent.headers["x-initiator"]).toBe("agent");
    expect(agent.headers["copilot-vision-request"]).toBeUndefined();
  });

  it("writes contents as parts for the Qwen portal, with a mark on the system text and metadata", async () => {
    const { body } = await lowered({
      system: "S",
      target: { baseUrl: "https://portal.qwen.ai/v1" },
      quirks: { contentAsParts: true },
      options: { cacheKey: "session-1" },
    });
    expect(body.messages[0].content).toEqual([{ type: "text", text: "S", cache_control: { type: "ephemeral" } }]);
    expect(body.messages[1].content).toEqual([{ type: "text", text: "hi" }]);
    expect(body.metadata.sessionId).toBe("session-1");
  });

  it("moves images of tool results into a user message [20:R1.27]", async () => {
    const messages: readonly Message[] = [
      ...history.slice(0, 2),
      {
        role: "tool",
        content: [
          { type: "text", text: "shot" },
          { type: "image_url", image_url: { url: png } },
        ],
        tool_call_id: "call_1",
        tool_name: "read_file",
      },
      { role: "user", content: "and?" },
    ];
    const { body } = await lowered({ messages });
    expect(body.messages[2].content).toBe("shot");
    expect(body.messages[3].role).toBe("user");
    expect(body.messages[3].content[1]).toEqual({ type: "image_url", image_url: { url: png } });
    expect(body.messages[3].content.at(-1)).toEqual({ type: "text", text: "and?" });
    expect(body.messages).toHaveLength(4);
  });

  it("sends images as blocks to endpoints that translate to the Messages wire [20:R1.27]", async () => {
    const messages: readonly Message[] = [{ role: "user", content: [{ type: "image_url", image_url: { url: png } }] }];
    const { body } = await lowered({ target: { baseUrl: "https://proxy.example/anthropic/v1" }, messages });
    expect(body.messages[0].content[0].source).toEqual({
      type: "base64",
      media_type: "image/png",
      data: "iVBORw0KGgo=",
    });
  });

  it.each([
    ["data:image/svg+xml;base64,AAAA", /image\/svg\+xml/],
    ["data:image/png,raw", /base64/],
    ["file:///etc/passwd", /https/],
    ["http://x.example/a.png", /https/],
  ])("says in words that %s is not sent [20:R1.27]", async (url, words) => {
    const messages: readonly Message[] = [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }];
    for (const protocol of [
      "chat_completions",
      "anthropic_messages",
      "codex_responses",
      "gemini_generate",
      "bedrock_converse",
    ] as const) {
      const text = JSON.stringify((await lowered({ protocol, messages })).body);
      expect(text).toMatch(/image not sent/);
      expect(text).toMatch(words);
      expect(text).not.toContain("AAAA");
    }
  });

  it("replaces images for models that take none [20:R1.68]", async () => {
    const messages: readonly Message[] = [{ role: "user", content: [{ type: "image_url", image_url: { url: png } }] }];
    const { body } = await lowered({ quirks: { supportsImages: false }, messages });
    expect(body.messages[0].content[0].text).toMatch(/takes no images/);
  });

  it("replaces lone surrogates everywhere and leaves emoji alone [20:R1.6] [10:LOOP-42]", async () => {
    const messages: readonly Message[] = [{ role: "user", content: "a\ud800b 🎉 \\ud800" }];
    const { body } = await lowered({ messages, system: "\udfff" });
    expect(body.messages[1].content).toBe("a\ufffdb 🎉 \\ud800");
    expect(body.messages[0].content).toBe("\ufffd");
  });
});

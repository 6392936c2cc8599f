import { describe, expect, test } from "vitest";
import { calls, refuses, reply, says, startModelServer, thinks } from "./index.ts";
import { ask, dataOf, smallest } from "./testing/ask.ts";

const clock = { now: () => 1_700_000_000_123 };
const streaming = { ...smallest.chat, stream: true, stream_options: { include_usage: true } };

/** Only the deltas, which is what most of these tests are about. */
function deltas(data: readonly unknown[]): readonly unknown[] {
  return data
    .filter((item): item is { choices: { delta: unknown }[] } => typeof item === "object" && item !== null)
    .flatMap((item) => item.choices.map((choice) => choice.delta));
}

describe("the chat-completions wire", () => {
  test("streams role, words, finish, usage and the terminator, in that order", async () => {
    await using server = await startModelServer({ clock });
    server.script(says("Hello big world"));
    const answer = await ask(server, "chat", { body: streaming });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
    const head = {
      id: "chatcmpl-000000000000000000000001",
      object: "chat.completion.chunk",
      created: 1_700_000_000,
      model: "m",
      service_tier: "default",
      system_fingerprint: "fp_fa4e000001",
    };
    const chunk = (delta: unknown, finish: string | null = null) => ({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      usage: null,
    });
    expect(dataOf(answer)).toEqual([
      chunk({ role: "assistant", content: "", refusal: null }),
      chunk({ content: "Hello" }),
      chunk({ content: " big" }),
      chunk({ content: " world" }),
      chunk({}, "stop"),
      {
        ...head,
        choices: [],
        usage: {
          prompt_tokens: 7,
          completion_tokens: 4,
          total_tokens: 11,
          prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
          completion_tokens_details: {
            reasoning_tokens: 0,
            audio_tokens: 0,
            accepted_prediction_tokens: 0,
            rejected_prediction_tokens: 0,
          },
        },
      },
      "[DONE]",
    ]);
  });

  test("sends no usage in a stream that did not ask for it", async () => {
    await using server = await startModelServer();
    server.script(says("x"));
    const answer = await ask(server, "chat", { body: { ...smallest.chat, stream: true } });
    expect(answer.text).not.toContain("usage");
    expect(answer.text.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  test("answers in one body when nobody asked for a stream", async () => {
    await using server = await startModelServer({ clock });
    server.script(
      reply([says("Sure."), calls("read", { path: "a" }, { id: "call_1" })], { id: "chatcmpl-x", model: "other" }),
    );
    const answer = await ask(server, "chat", { body: smallest.chat });
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("content-length")).toBe(String(answer.text.length));
    expect(answer.json()).toEqual({
      id: "chatcmpl-x",
      object: "chat.completion",
      created: 1_700_000_000,
      model: "other",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: "Sure.",
            refusal: null,
            annotations: [],
            tool_calls: [{ id: "call_1", type: "function", function: { name: "read", arguments: '{"path":"a"}' } }],
          },
          logprobs: null,
          finish_reason: "tool_calls",
        },
      ],
      usage: {
        prompt_tokens: 7,
        completion_tokens: 6,
        total_tokens: 13,
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
        completion_tokens_details: {
          reasoning_tokens: 0,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
      },
      service_tier: "default",
      system_fingerprint: "fp_fa4e000001",
    });
  });

  test("streams parallel calls by index, the name once, the arguments in pieces", async () => {
    await using server = await startModelServer();
    server.script(
      reply([
        calls("a", { x: 1 }, { id: "call_a", fragments: ['{"x"', ":1}"] }),
        calls("b", "{broken", { id: "call_b", fragments: 1 }),
      ]),
    );
    const data = dataOf(await ask(server, "chat", { body: streaming }));
    expect(deltas(data)).toEqual([
      {
        role: "assistant",
        content: null,
        refusal: null,
        tool_calls: [{ index: 0, id: "call_a", type: "function", function: { name: "a", arguments: "" } }],
      },
      { tool_calls: [{ index: 0, function: { arguments: '{"x"' } }] },
      { tool_calls: [{ index: 0, function: { arguments: ":1}" } }] },
      { tool_calls: [{ index: 1, id: "call_b", type: "function", function: { name: "b", arguments: "" } }] },
      { tool_calls: [{ index: 1, function: { arguments: "{broken" } }] },
      {},
    ]);
    expect(JSON.stringify(data)).toContain('"finish_reason":"tool_calls"');
  });

  test("can be careless: index reused, name repeated, no id, extra content", async () => {
    await using server = await startModelServer();
    server.script(
      reply([
        calls("a", {}, { id: "x", index: 0, style: "whole" }),
        calls("b", {}, { id: "y", index: 0, style: "whole", extraContent: { google: { thought_signature: "S" } } }),
        calls("c", {}, { id: null, style: "repeated-name", fragments: 1 }),
      ]),
    );
    const found = deltas(dataOf(await ask(server, "chat", { body: streaming }))).flatMap(
      (delta) => (delta as { tool_calls?: unknown[] }).tool_calls ?? [],
    );
    expect(found).toEqual([
      { index: 0, id: "x", type: "function", function: { name: "a", arguments: "{}" } },
      {
        index: 0,
        id: "y",
        type: "function",
        extra_content: { google: { thought_signature: "S" } },
        function: { name: "b", arguments: "{}" },
      },
      { index: 2, type: "function", function: { name: "c", arguments: "" } },
      { index: 2, type: "function", function: { name: "c", arguments: "{}" } },
    ]);
  });

  test.each([
    ["reasoning_content", [{ content: null, reasoning_content: "Hm" }]],
    ["reasoning", [{ content: "", reasoning: "Hm" }]],
    ["think-tag", [{ content: "<think>" }, { content: "Hm" }, { content: "</think>" }]],
    [
      "reasoning_details",
      [
        {
          content: "",
          reasoning: "Hm",
          reasoning_details: [{ type: "reasoning.text", format: "anthropic-claude-v1", index: 0, text: "Hm" }],
        },
        {
          content: "",
          reasoning_details: [{ type: "reasoning.text", format: "anthropic-claude-v1", index: 0, signature: "sig" }],
        },
      ],
    ],
  ] as const)("streams reasoning as %s", async (field, expected) => {
    await using server = await startModelServer();
    server.script(reply([thinks("Hm", { field, signature: "sig" }), says("ok")]));
    const found = deltas(dataOf(await ask(server, "chat", { body: streaming })));
    expect(found.slice(1, -2)).toEqual(expected);
  });

  test("puts reasoning into one body in each of its fields", async () => {
    await using server = await startModelServer();
    const fields = ["reasoning_content", "reasoning", "reasoning_details", "think-tag"] as const;
    server.script(...fields.map((field) => reply([thinks("Hm", { field, signature: "sig" }), says("ok")])));
    const messages: unknown[] = [];
    for (const _field of fields) {
      const body = (await ask(server, "chat", { body: smallest.chat })).json() as { choices: { message: unknown }[] };
      messages.push(body.choices[0]?.message);
    }
    const base = { role: "assistant", content: "ok", refusal: null, annotations: [] };
    expect(messages).toEqual([
      { ...base, reasoning_content: "Hm" },
      { ...base, reasoning: "Hm" },
      {
        ...base,
        reasoning: "Hm",
        reasoning_details: [
          { type: "reasoning.text", format: "anthropic-claude-v1", index: 0, text: "Hm", signature: "sig" },
        ],
      },
      { ...base, content: "<think>Hm</think>ok" },
    ]);
  });

  test("reasoning without text is an encrypted detail", async () => {
    await using server = await startModelServer({ chatDialect: "openrouter" });
    server.script(reply([thinks("", { encrypted: "BLOB" }), says("ok")]));
    const found = deltas(dataOf(await ask(server, "chat", { body: streaming })));
    expect(found[1]).toEqual({
      content: "",
      reasoning_details: [
        {
          type: "reasoning.encrypted",
          data: "BLOB",
          id: "rs_000000000000000000000001",
          format: "openai-responses-v1",
          index: 0,
        },
      ],
    });
  });

  test("scripted usage goes out number by number, with the provider's extras", async () => {
    await using server = await startModelServer({ chatDialect: "openrouter" });
    server.script(
      says("x", {
        usage: { input: 150, cacheRead: 800, cacheWrite: 50, output: 50, reasoning: 20, extra: { cost: 0.0123 } },
      }),
      says("x", { usage: "none" }),
    );
    const first = (await ask(server, "chat", { body: smallest.chat })).json();
    expect(first.usage).toEqual({
      prompt_tokens: 1000,
      completion_tokens: 50,
      total_tokens: 1050,
      prompt_tokens_details: { cached_tokens: 800, audio_tokens: 0, cache_write_tokens: 50 },
      completion_tokens_details: {
        reasoning_tokens: 20,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
      cost: 0.0123,
    });
    const second = (await ask(server, "chat", { body: smallest.chat })).json();
    expect("usage" in second).toBe(false);
  });

  test.each([
    ["stop", "stop"],
    ["tool_calls", "tool_calls"],
    ["length", "length"],
    ["content_filter", "content_filter"],
    ["pause", "stop"],
    ["stop-sequence", "stop"],
    ["context-full", "length"],
    ["failed", "error"],
  ] as const)("finish %s is %s", async (finish, word) => {
    await using server = await startModelServer();
    server.script(says("x", { finish }));
    const body = (await ask(server, "chat", { body: smallest.chat })).json() as {
      choices: { finish_reason: string }[];
    };
    expect(body.choices[0]?.finish_reason).toBe(word);
  });

  test("raw finish words, list contents and refusals pass", async () => {
    await using server = await startModelServer();
    server.script(says("x", { rawFinish: null, shape: "list" }), refuses("No."));
    const first = (await ask(server, "chat", { body: smallest.chat })).json() as { choices: unknown[] };
    expect(first.choices).toEqual([
      {
        index: 0,
        message: { role: "assistant", content: [{ type: "text", text: "x" }], refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: null,
      },
    ]);
    const second = deltas(dataOf(await ask(server, "chat", { body: streaming })));
    expect(second).toEqual([{ role: "assistant", content: "", refusal: null }, { refusal: "No." }, {}]);
  });

  test("never cuts a character in two", async () => {
    await using server = await startModelServer();
    server.script(says("👋👋", { fragments: 4 }));
    const found = deltas(dataOf(await ask(server, "chat", { body: streaming })));
    expect(found.slice(1, -1)).toEqual([{ content: "👋" }, { content: "👋" }]);
  });

  test("an empty reply has an empty content", async () => {
    await using server = await startModelServer();
    server.script(reply([]), reply([]));
    const whole = (await ask(server, "chat", { body: smallest.chat })).json() as { choices: { message: unknown }[] };
    expect(whole.choices[0]?.message).toEqual({ role: "assistant", content: "", refusal: null, annotations: [] });
    expect(deltas(dataOf(await ask(server, "chat", { body: streaming })))).toEqual([
      { role: "assistant", content: "", refusal: null },
      {},
    ]);
  });
});

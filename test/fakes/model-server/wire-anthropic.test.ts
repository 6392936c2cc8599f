import { describe, expect, test } from "vitest";
import { calls, refuses, reply, says, startModelServer, thinks } from "./index.ts";
import { ask, dataOf, smallest, stream } from "./testing/ask.ts";

describe("the Anthropic messages wire", () => {
  test("streams named events from message_start to message_stop", async () => {
    await using server = await startModelServer();
    server.script(says("Hello world", { id: "msg_1" }));
    const answer = await ask(server, "anthropic", stream("anthropic"));
    expect(answer.headers.get("request-id")).toBe("req_000000000000000000000001");
    expect(answer.headers.get("anthropic-ratelimit-requests-remaining")).toBe("3999");
    const data = dataOf(answer);
    expect(data).toEqual([
      {
        type: "message_start",
        message: {
          id: "msg_1",
          type: "message",
          role: "assistant",
          model: "m",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: {
            input_tokens: 7,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: 0,
            cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
            output_tokens: 1,
            service_tier: "standard",
          },
        },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "ping" },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: " world" } },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn", stop_sequence: null },
        usage: {
          input_tokens: 7,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          output_tokens: 3,
        },
      },
      { type: "message_stop" },
    ]);
    expect(answer.events().map(({ event }) => event)).toEqual(data.map((item) => (item as { type: string }).type));
  });

  test("streams thinking with its signature, then text, then a call", async () => {
    await using server = await startModelServer();
    server.script(
      reply([
        thinks("Let me look.", { fragments: 1, signature: "sig" }),
        says("Looking", { fragments: 1 }),
        calls("terminal", { command: "ls" }, { id: "toolu_1", fragments: ['{"command"', ':"ls"}'] }),
      ]),
    );
    const blocks = dataOf(await ask(server, "anthropic", stream("anthropic"))).slice(1, -2);
    expect(blocks).toEqual([
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
      { type: "ping" },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Let me look." } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "sig" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Looking" } },
      { type: "content_block_stop", index: 1 },
      {
        type: "content_block_start",
        index: 2,
        content_block: { type: "tool_use", id: "toolu_1", name: "terminal", input: {} },
      },
      { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: "" } },
      { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"command"' } },
      { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: ':"ls"}' } },
      { type: "content_block_stop", index: 2 },
    ]);
  });

  test("answers in one message when nobody asked for a stream", async () => {
    await using server = await startModelServer();
    server.script(
      reply([
        thinks("Hm", { signature: "sig" }),
        thinks("secret", { redacted: true }),
        thinks("open", { signature: null }),
        says("ok"),
        calls("a", { b: 1 }, { id: "toolu_1" }),
        calls("broken", "{", { id: "toolu_2" }),
      ]),
    );
    const body = (await ask(server, "anthropic", { body: smallest.anthropic })).json();
    expect(body).toMatchObject({ type: "message", role: "assistant", stop_reason: "tool_use", stop_sequence: null });
    expect(body.content).toEqual([
      { type: "thinking", thinking: "Hm", signature: "sig" },
      { type: "redacted_thinking", data: expect.stringMatching(/^EmwK/) },
      { type: "thinking", thinking: "open", signature: "" },
      { type: "text", text: "ok" },
      { type: "tool_use", id: "toolu_1", name: "a", input: { b: 1 } },
      { type: "tool_use", id: "toolu_2", name: "broken", input: {} },
    ]);
  });

  test("redacted thinking is a block without deltas, unsigned thinking one without a signature", async () => {
    await using server = await startModelServer();
    server.script(reply([thinks("x", { redacted: true }), thinks("y", { signature: null })]));
    const blocks = dataOf(await ask(server, "anthropic", stream("anthropic"))).slice(1, -2);
    expect(blocks).toEqual([
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "redacted_thinking", data: expect.stringMatching(/^EmwK/) },
      },
      { type: "ping" },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "thinking", thinking: "", signature: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "thinking_delta", thinking: "y" } },
      { type: "content_block_stop", index: 1 },
    ]);
  });

  test.each([
    ["stop", "end_turn"],
    ["tool_calls", "tool_use"],
    ["length", "max_tokens"],
    ["content_filter", "refusal"],
    ["pause", "pause_turn"],
    ["stop-sequence", "stop_sequence"],
    ["context-full", "model_context_window_exceeded"],
  ] as const)("finish %s is %s", async (finish, word) => {
    await using server = await startModelServer();
    server.script(says("x", { finish }));
    const body = (await ask(server, "anthropic", { body: smallest.anthropic })).json();
    expect(body.stop_reason).toBe(word);
  });

  test("an empty reply is an empty content with end_turn", async () => {
    await using server = await startModelServer();
    server.script(reply([]), refuses("I will not."));
    const empty = (await ask(server, "anthropic", { body: smallest.anthropic })).json();
    expect(empty).toMatchObject({ content: [], stop_reason: "end_turn" });
    const refused = (await ask(server, "anthropic", { body: smallest.anthropic })).json();
    expect(refused).toMatchObject({ content: [{ type: "text", text: "I will not." }], stop_reason: "refusal" });
  });

  test("scripted usage fills every field", async () => {
    await using server = await startModelServer();
    const usage = { input: 10, cacheRead: 20, cacheWrite: 30, cacheWrite1h: 5, output: 40 };
    server.script(says("x", { usage }), says("x", { usage: "none" }));
    const body = (await ask(server, "anthropic", { body: smallest.anthropic })).json();
    expect(body.usage).toEqual({
      input_tokens: 10,
      cache_creation_input_tokens: 30,
      cache_read_input_tokens: 20,
      cache_creation: { ephemeral_5m_input_tokens: 25, ephemeral_1h_input_tokens: 5 },
      output_tokens: 40,
      service_tier: "standard",
    });
    const silent = await ask(server, "anthropic", stream("anthropic"));
    expect(silent.text).not.toContain("usage");
  });
});

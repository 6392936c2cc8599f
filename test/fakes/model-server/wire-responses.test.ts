import { describe, expect, test } from "vitest";
import { calls, refuses, reply, says, startModelServer, thinks } from "./index.ts";
import { ask, dataOf, smallest, stream } from "./testing/ask.ts";

const encrypted = { ...smallest.responses, stream: true, store: false, include: ["reasoning.encrypted_content"] };

function withoutNumber(item: unknown): unknown {
  const { sequence_number: _number, ...rest } = item as Record<string, unknown>;
  return rest;
}

describe("the Responses wire", () => {
  test("streams numbered events and ends with response.completed", async () => {
    await using server = await startModelServer({ clock: { now: () => 1_700_000_000_000 } });
    server.script(says("Hello world", { id: "resp_1" }));
    const answer = await ask(server, "responses", stream("responses"));
    const response = {
      id: "resp_1",
      object: "response",
      created_at: 1_700_000_000,
      status: "in_progress",
      background: false,
      error: null,
      incomplete_details: null,
      instructions: null,
      max_output_tokens: null,
      model: "m",
      output: [],
      parallel_tool_calls: true,
      previous_response_id: null,
      prompt_cache_key: null,
      reasoning: { effort: null, summary: null },
      service_tier: "auto",
      store: true,
      temperature: 1,
      text: { format: { type: "text" } },
      tool_choice: "auto",
      tools: [],
      top_p: 1,
      truncation: "disabled",
      usage: null,
      user: null,
      metadata: {},
    };
    const id = "msg_000000000000000000000001";
    const location = { item_id: id, output_index: 0, content_index: 0 };
    const part = (text: string) => ({ type: "output_text", annotations: [], logprobs: [], text });
    const item = { id, type: "message", status: "completed", content: [part("Hello world")], role: "assistant" };
    const data = dataOf(answer);
    expect(data).toEqual([
      { type: "response.created", sequence_number: 0, response },
      { type: "response.in_progress", sequence_number: 1, response },
      {
        type: "response.output_item.added",
        sequence_number: 2,
        output_index: 0,
        item: { ...item, status: "in_progress", content: [] },
      },
      { type: "response.content_part.added", sequence_number: 3, ...location, part: part("") },
      { type: "response.output_text.delta", sequence_number: 4, ...location, delta: "Hello", logprobs: [] },
      { type: "response.output_text.delta", sequence_number: 5, ...location, delta: " world", logprobs: [] },
      { type: "response.output_text.done", sequence_number: 6, ...location, text: "Hello world", logprobs: [] },
      { type: "response.content_part.done", sequence_number: 7, ...location, part: part("Hello world") },
      { type: "response.output_item.done", sequence_number: 8, output_index: 0, item },
      {
        type: "response.completed",
        sequence_number: 9,
        response: {
          ...response,
          status: "completed",
          output: [item],
          usage: {
            input_tokens: 7,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens: 3,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: 10,
          },
        },
      },
    ]);
    expect(answer.events().map(({ event }) => event)).toEqual(data.map((entry) => (entry as { type: string }).type));
    expect(answer.text).not.toContain("[DONE]");
  });

  test("streams reasoning with its encrypted content, then a call", async () => {
    await using server = await startModelServer();
    server.script(
      reply([
        thinks("Hm", { encrypted: "BLOB" }),
        calls("terminal", { command: "ls" }, { id: "call_1", fragments: 1 }),
      ]),
    );
    const data = dataOf(await ask(server, "responses", { body: encrypted })).slice(2, -1);
    const reasoning = { item_id: "rs_000000000000000000000001", output_index: 0, summary_index: 0 };
    const call = {
      id: "fc_000000000000000000000001",
      type: "function_call",
      status: "completed",
      arguments: '{"command":"ls"}',
      call_id: "call_1",
      name: "terminal",
    };
    const head = { id: "rs_000000000000000000000001", type: "reasoning", encrypted_content: "BLOB" };
    const summary = { type: "summary_text", text: "Hm" };
    expect(data.map(withoutNumber)).toEqual([
      { type: "response.output_item.added", output_index: 0, item: { ...head, summary: [] } },
      { type: "response.reasoning_summary_part.added", ...reasoning, part: { type: "summary_text", text: "" } },
      { type: "response.reasoning_summary_text.delta", ...reasoning, delta: "Hm" },
      { type: "response.reasoning_summary_text.done", ...reasoning, text: "Hm" },
      { type: "response.reasoning_summary_part.done", ...reasoning, part: summary },
      { type: "response.output_item.done", output_index: 0, item: { ...head, summary: [summary] } },
      {
        type: "response.output_item.added",
        output_index: 1,
        item: { ...call, status: "in_progress", arguments: "" },
      },
      { type: "response.function_call_arguments.delta", item_id: call.id, output_index: 1, delta: call.arguments },
      {
        type: "response.function_call_arguments.done",
        item_id: call.id,
        output_index: 1,
        arguments: call.arguments,
        name: "terminal",
      },
      { type: "response.output_item.done", output_index: 1, item: call },
    ]);
  });

  test("keeps encrypted content to itself unless it was asked for", async () => {
    await using server = await startModelServer();
    server.script(reply([thinks("Hm"), says("ok")]));
    const answer = await ask(server, "responses", stream("responses"));
    expect(answer.text).not.toContain("encrypted_content");
  });

  test("answers in one response when nobody asked for a stream", async () => {
    await using server = await startModelServer();
    server.script(reply([thinks(""), says("ok", { phase: "final_answer" })]));
    const body = (
      await ask(server, "responses", { body: { ...smallest.responses, instructions: "Be brief." } })
    ).json();
    expect(body).toMatchObject({ object: "response", status: "completed", instructions: "Be brief." });
    expect(body.output).toEqual([
      { id: "rs_000000000000000000000001", type: "reasoning", summary: [] },
      {
        id: "msg_000000000000000000000001",
        type: "message",
        status: "completed",
        content: [{ type: "output_text", annotations: [], logprobs: [], text: "ok" }],
        phase: "final_answer",
        role: "assistant",
      },
    ]);
  });

  test.each([
    ["length", "incomplete", { incomplete_details: { reason: "max_output_tokens" }, error: null }],
    ["content_filter", "incomplete", { incomplete_details: { reason: "content_filter" }, error: null }],
    ["stop", "completed", { incomplete_details: null, error: null }],
    [
      "failed",
      "failed",
      {
        incomplete_details: null,
        error: { code: "server_error", message: "An error occurred while processing your request." },
      },
    ],
  ] as const)("finish %s is %s", async (finish, status, details) => {
    await using server = await startModelServer();
    server.script(says("x", { finish }));
    const last = dataOf(await ask(server, "responses", stream("responses"))).at(-1);
    expect(last).toMatchObject({ type: `response.${status}`, response: { status, ...details } });
  });

  test("only the item that was cut short is incomplete", async () => {
    await using server = await startModelServer();
    server.script(reply([says("whole"), says("cut sh")], { finish: "length" }));
    const body = (await ask(server, "responses", { body: smallest.responses })).json() as {
      output: { status: string }[];
    };
    expect(body.output.map(({ status }) => status)).toEqual(["completed", "incomplete"]);
  });

  test("can leave the final output empty, and name any status", async () => {
    await using server = await startModelServer();
    server.script(says("x", { emptyFinalOutput: true }), says("x", { rawFinish: "cancelled" }));
    const first = dataOf(await ask(server, "responses", stream("responses"))).at(-1);
    expect(first).toMatchObject({ type: "response.completed", response: { output: [] } });
    const second = (await ask(server, "responses", { body: smallest.responses })).json();
    expect(second.status).toBe("cancelled");
  });

  test("streams a refusal as a part of its own", async () => {
    await using server = await startModelServer();
    server.script(refuses("No."));
    const data = dataOf(await ask(server, "responses", stream("responses")));
    const location = { item_id: "msg_000000000000000000000001", output_index: 0, content_index: 0 };
    expect(data.slice(3, 7)).toEqual([
      { type: "response.content_part.added", sequence_number: 3, ...location, part: { type: "refusal", refusal: "" } },
      { type: "response.refusal.delta", sequence_number: 4, ...location, delta: "No." },
      { type: "response.refusal.done", sequence_number: 5, ...location, refusal: "No." },
      {
        type: "response.content_part.done",
        sequence_number: 6,
        ...location,
        part: { type: "refusal", refusal: "No." },
      },
    ]);
  });

  test("scripted usage fills every field", async () => {
    await using server = await startModelServer();
    server.script(says("x", { usage: { input: 10, cacheRead: 20, cacheWrite: 30, output: 40, reasoning: 15 } }));
    const body = (await ask(server, "responses", { body: smallest.responses })).json();
    expect(body.usage).toEqual({
      input_tokens: 60,
      input_tokens_details: { cached_tokens: 20, cache_creation_tokens: 30 },
      output_tokens: 40,
      output_tokens_details: { reasoning_tokens: 15 },
      total_tokens: 100,
    });
  });
});

import { describe, expect, it } from "vitest";
import { newToolCall } from "#conversation";
import { Collector } from "./collect.ts";
import { collect } from "./testing/collect.ts";

const end = { type: "attempt-end", finish: "stop" } as const;

describe("collecting", () => {
  it("prefers structured reasoning and takes inline blocks out of the words [20:R1.3] [20:R1.4] [10:LOOP-46]", () => {
    const { message } = collect([
      { type: "reasoning-delta", text: "structured" },
      { type: "text-delta", text: "a <think>inline</think> b" },
      end,
    ]);
    expect(message.reasoning).toBe("structured");
    expect(message.content).toBe("a  b");
  });

  it("takes reasoning from inline blocks when there is no other [20:R1.3] [10:LOOP-45]", () => {
    const { message } = collect([{ type: "text-delta", text: "a <think>inline</think> b" }, end]);
    expect(message.reasoning).toBe("inline");
  });

  it("takes reasoning from opaque fields when none was streamed [10:LOOP-46]", () => {
    const details = [{ type: "reasoning.summary", summary: "sum" }];
    const { message } = collect([{ type: "opaque", field: "reasoning_details", value: details }, end]);
    expect(message.reasoning).toBe("sum");
    expect(message.reasoning_details).toEqual(details);
  });

  it("keeps the provider's own field, also when it is empty [20:R1.2] [20:R1.21]", () => {
    const { message } = collect([{ type: "opaque", field: "reasoning_content", value: "" }, end]);
    expect(message.reasoning_content).toBe("");
    expect(message.reasoning).toBeUndefined();
  });

  it("replaces halves of characters in everything that is stored [20:R1.6] [10:LOOP-42]", () => {
    const { message } = collect([
      { type: "text-delta", text: "a\ud800" },
      { type: "reasoning-delta", text: "b\udfff" },
      { type: "opaque", field: "reasoning_content", value: "c\ud800" },
      end,
    ]);
    expect([message.content, message.reasoning, message.reasoning_content]).toEqual(["a\ufffd", "b\ufffd", "c\ufffd"]);
  });

  it("withholds words behind a call, and keeps them [20:R1.26] [10:LOOP-50]", () => {
    const collector = new Collector();
    expect(collector.add({ type: "text-delta", text: "before" })).toBe("show");
    expect(collector.add({ type: "tool-input-start", index: 0, id: "c", name: "f" })).toBe("show");
    expect(collector.add({ type: "text-delta", text: " behind" })).toBe("withhold");
    expect(collector.add({ type: "reasoning-delta", text: "hm" })).toBe("show");
    collector.add({ type: "tool-call", index: 0, call: newToolCall({ id: "c", name: "f", arguments: "{}" }) });
    collector.add({ ...end, finish: "tool_calls" });
    expect(collector.result().message.content).toBe("before behind");
  });

  it("keeps the words of a stream that broke off, and no half calls [20:R1.47] [20:R1.7] [10:LOOP-53]", () => {
    const result = collect([
      { type: "text-delta", text: "Hello" },
      { type: "tool-input-start", index: 0, id: "c", name: "write_file" },
      { type: "tool-input-delta", index: 0, text: '{"a' },
    ]);
    expect(result).toEqual({
      text: "Hello",
      message: { role: "assistant", content: "Hello", finish_reason: "stop" },
      finish: "stop",
      isPartial: true,
      isReasoningOpen: false,
      lostCalls: ["write_file"],
    });
  });

  it("counts usage also of answers that were cut or empty [10:LOOP-56]", () => {
    const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
    expect(
      collect([
        { type: "usage", usage, costUsd: 0.5 },
        { ...end, finish: "length" },
      ]),
    ).toMatchObject({ usage, costUsd: 0.5 });
  });

  it("discards a call that leaked into the words [20:R1.38]", () => {
    const result = collect([
      { type: "text-delta", text: "to=functions.read_file {}" },
      { ...end, finish: "incomplete" },
    ]);
    expect(result.message.content).toBe("");
  });
});

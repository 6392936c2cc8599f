import { describe, expect, it } from "vitest";
import { assistantMessage, type Message, toolMessage, userMessage } from "./message.ts";
import { newToolCall } from "./tool-call.ts";
import { isValid, lastAssistant, openCalls, settle, violations } from "./transcript.ts";

const calls = ["a", "b"].map((id) => newToolCall({ id, name: "read_file", arguments: "{}" }));
const [first, second] = calls;
if (first === undefined || second === undefined) throw new Error("two calls are needed");
const asking = assistantMessage("looking", { tool_calls: calls });

describe("a transcript", () => {
  it("knows the calls that still wait for a result", () => {
    expect(openCalls([userMessage("hi"), asking])).toEqual(calls);
    expect(openCalls([userMessage("hi"), asking, toolMessage(first, "x")])).toEqual([second]);
    expect(openCalls([userMessage("hi"), assistantMessage("done")])).toEqual([]);
    expect(openCalls([])).toEqual([]);
  });

  it("is whole again after settling, with every result naming its tool [10:LOOP-9] [10:LOOP-22]", () => {
    const torn: Message[] = [userMessage("hi"), asking, toolMessage(first, "x")];
    const whole = [...torn, ...settle(torn, "Cut short.")];
    expect(isValid(torn)).toBe(false);
    expect(isValid(whole)).toBe(true);
    expect(whole.at(-1)).toEqual({ role: "tool", content: "Cut short.", tool_call_id: "b", tool_name: "read_file" });
  });

  it("finds the last reply", () => {
    const messages = [
      userMessage("hi"),
      asking,
      toolMessage(first, "x"),
      toolMessage(second, "y"),
      assistantMessage(" "),
    ];
    expect(lastAssistant(messages)?.content).toBe(" ");
  });

  it("names each broken rule and its place [10:LOOP-11]", () => {
    const rules = (messages: Message[]) => violations(messages).map((one) => [one.index, one.rule]);
    expect(rules([assistantMessage("hi")])).toEqual([[0, "starts-with-user"]]);
    expect(rules([userMessage("a"), userMessage("b")])).toEqual([[1, "alternation"]]);
    expect(rules([userMessage("a"), toolMessage(first, "x")])).toEqual([[1, "orphan-result"]]);
    expect(rules([userMessage("a"), asking, toolMessage(first, "x"), toolMessage(first, "x")])).toEqual([
      [3, "duplicate-result"],
      [1, "unanswered-call"],
    ]);
    expect(rules([userMessage([])])).toEqual([[0, "empty"]]);
  });
});

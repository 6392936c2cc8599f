import { describe, expect, it } from "vitest";
import type { TrajectoryMessage } from "#agent";
import { reasoningStats, toolStats } from "./sample-stats.ts";

const calling = (id: string): TrajectoryMessage => ({
  role: "assistant",
  content: "",
  tool_calls: [{ id, type: "function", function: { name: "look", arguments: "{}" } }],
});

describe("the results of a tool", () => {
  it.each([
    ['{"error":null}', "success"],
    ['{"error":"x"}', "failure"],
    ["Error: no", "failure"],
    ["  ERROR: no", "failure"],
    ["", "failure"],
    ['{"exit_code":1,"output":"y"}', "success"],
    ['{"content":{"error":"deep"}}', "failure"],
    ['{"content":{"error":null}}', "success"],
    ['{"success":false}', "failure"],
    ['{"success":0}', "success"],
    ["An error: late", "success"],
    ["[1]", "success"],
  ])("%j is a %s [50:2.7] [50:2.12.5]", (content, outcome) => {
    const stats = toolStats([calling("a"), { role: "tool", tool_call_id: "a", content }]);
    expect(stats.get("look")).toEqual({ count: 1, success: 0, failure: 0, [outcome]: 1 });
  });

  it("count for the call they answer, and for none when nobody made it [50:2.7]", () => {
    const stats = toolStats([calling("a"), calling("b"), { role: "tool", tool_call_id: "c", content: "{}" }]);
    expect([...stats]).toEqual([["look", { count: 2, success: 0, failure: 0 }]]);
  });
});

it.each<[TrajectoryMessage, number]>([
  [{ role: "assistant", content: "Done.", reasoning: "So." }, 1],
  [{ role: "assistant", content: "Done.", reasoning: " \n" }, 0],
  [{ role: "assistant", content: "<REASONING_SCRATCHPAD>So.</REASONING_SCRATCHPAD>Done." }, 1],
  [{ role: "assistant", content: "<think>So.</think>Done." }, 1],
  [{ role: "assistant", content: "<think> </think>Done." }, 0],
  [{ role: "assistant", content: "Done." }, 0],
])("a reply %j has thoughts: %s [50:2.8]", (message, thoughts) => {
  expect(reasoningStats([{ role: "user", content: "<think>mine</think>" }, message])).toEqual({
    total_assistant_turns: 1,
    turns_with_reasoning: thoughts,
    turns_without_reasoning: 1 - thoughts,
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assistantMessage, newToolCall, toolMessage, userMessage } from "#conversation";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { fromShareGpt } from "./from-sharegpt.ts";
import { systemTurn, type TrajectoryMessage, toShareGpt } from "./sharegpt.ts";

const user = { role: "user", content: "q" };
const call = (id: string, name: string, args: unknown) => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const result = (id: string, content: unknown) => ({ role: "tool", tool_call_id: id, content });

function turnsOf(after: readonly TrajectoryMessage[], log = memoryLogger()): readonly string[] {
  const turns = toShareGpt({ messages: [user, ...after], tools: [], log });
  expect(turns.slice(0, 2).map(({ from }) => from)).toEqual(["system", "human"]);
  return turns.slice(2).map(({ from, value }) => `${from} ${value}`);
}

const emptyThink = "<think>\n</think>\n";

describe("the worked examples of the trajectory format [50:1.11] [50:1.12.1]", () => {
  it("1: plain text gets an empty think block", () => {
    expect(turnsOf([{ role: "assistant", content: "Hi" }])).toEqual(["gpt <think>\n</think>\nHi"]);
  });

  it("2: reasoning becomes the think block", () => {
    expect(turnsOf([{ role: "assistant", content: "Hi", reasoning: "think hard" }])).toEqual([
      "gpt <think>\nthink hard\n</think>\nHi",
    ]);
  });

  it("3: a scratchpad becomes a think block as it is", () => {
    const content = "<REASONING_SCRATCHPAD>plan</REASONING_SCRATCHPAD>\nAnswer";
    expect(turnsOf([{ role: "assistant", content }])).toEqual(["gpt <think>plan</think>\nAnswer"]);
  });

  it("4: no content and blank reasoning", () => {
    expect(turnsOf([{ role: "assistant", content: null, reasoning: "   " }])).toEqual(["gpt <think>\n</think>"]);
  });

  it("5: a call, its result and the answer", () => {
    expect(
      turnsOf([
        { role: "assistant", content: "", tool_calls: [call("c1", "terminal", '{"command":"ls"}')] },
        result("c1", '{"output":"a","exit_code":0}'),
        { role: "assistant", content: "done" },
      ]),
    ).toEqual([
      'gpt <think>\n</think>\n<tool_call>\n{"name": "terminal", "arguments": {"command": "ls"}}\n</tool_call>',
      'tool <tool_response>\n{"tool_call_id": "c1", "name": "terminal", "content": {"output": "a", "exit_code": 0}}\n</tool_response>',
      "gpt <think>\n</think>\ndone",
    ]);
  });

  it("6: several calls and results share a turn each", () => {
    expect(
      turnsOf([
        {
          role: "assistant",
          content: "Looking",
          reasoning: "r",
          tool_calls: [call("c1", "a", "{}"), call("c2", "b", '{"x":"ü"}')],
        },
        result("c1", "plain"),
        result("c2", "[1,2]"),
      ]),
    ).toEqual([
      'gpt <think>\nr\n</think>\nLooking\n<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>\n<tool_call>\n{"name": "b", "arguments": {"x": "ü"}}\n</tool_call>',
      'tool <tool_response>\n{"tool_call_id": "c1", "name": "a", "content": "plain"}\n</tool_response>\n<tool_response>\n{"tool_call_id": "c2", "name": "b", "content": [1, 2]}\n</tool_response>',
    ]);
  });

  it("7: unreadable arguments become an empty object with a warning, surplus results have no name", () => {
    const log = memoryLogger();
    const turns = turnsOf(
      [
        { role: "assistant", content: "", tool_calls: [call("c1", "a", "{bad")] },
        result("c1", "{not json"),
        result("c9", "extra"),
      ],
      log,
    );
    expect(turns).toEqual([
      `gpt ${emptyThink}<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>`,
      'tool <tool_response>\n{"tool_call_id": "c1", "name": "a", "content": "{not json"}\n</tool_response>\n<tool_response>\n{"tool_call_id": "c9", "name": "unknown", "content": "extra"}\n</tool_response>',
    ]);
    expect(log.lines).toMatchObject([{ level: "warn", fields: { start: "{bad" } }]);
  });

  it("8: parsed arguments are used as they are; without results there is no tool turn", () => {
    expect(
      turnsOf([
        { role: "assistant", content: "", tool_calls: [call("c1", "a", { k: [1, { z: null }] })] },
        { role: "user", content: "stop" },
        { role: "assistant", content: "ok" },
      ]),
    ).toEqual([
      `gpt ${emptyThink}<tool_call>\n{"name": "a", "arguments": {"k": [1, {"z": null}]}}\n</tool_call>`,
      "human stop",
      `gpt ${emptyThink}ok`,
    ]);
  });

  it("9: a think block of the model's own is enough", () => {
    const content = "<think>\nown\n</think>\nhey";
    expect(turnsOf([{ role: "assistant", content }])).toEqual([`gpt ${content}`]);
  });

  it("10: only the outer ends are trimmed", () => {
    expect(turnsOf([{ role: "assistant", content: "  spaced  ", reasoning: "line1\nline2" }])).toEqual([
      "gpt <think>\nline1\nline2\n</think>\n  spaced",
    ]);
  });

  it("11: a result nobody asked for is left out", () => {
    expect(turnsOf([result("c1", "lost"), { role: "assistant", content: "x" }])).toEqual([`gpt ${emptyThink}x`]);
  });

  it("12: text before a call keeps its spaces, and a float stays a float", () => {
    expect(turnsOf([{ role: "assistant", content: "  pre  ", tool_calls: [call("c1", "a", '{"p":1.0}')] }])).toEqual([
      'gpt <think>\n</think>\n  pre  \n<tool_call>\n{"name": "a", "arguments": {"p": 1.0}}\n</tool_call>',
    ]);
  });

  it("13: a tool in the system turn", () => {
    const lines = systemTurn([{ name: "terminal", description: "Run", parameters: { type: "object" } }]).split("\n");
    expect(lines[2]).toBe(
      '[{"name": "terminal", "description": "Run", "parameters": {"type": "object"}, "required": null}]',
    );
  });

  it("14: images are counted", () => {
    const image = { type: "image_url", image_url: { url: "data:x" } };
    const human = (content: unknown) =>
      toShareGpt({ messages: [{ role: "user", content }], tools: [], log: memoryLogger() })[1]?.value;
    expect(human([{ type: "text", text: "see" }, image])).toBe("[1 image] see");
    expect(human([image, image])).toBe("[2 images]");
    expect(
      human([
        { type: "text", text: "a " },
        { type: "text", text: "b" },
      ]),
    ).toBe("a  b");
  });

  it("15: reasoning and scratchpad stand one after the other", () => {
    const content = "<REASONING_SCRATCHPAD>s</REASONING_SCRATCHPAD>z";
    expect(turnsOf([{ role: "assistant", content, reasoning: "r" }])).toEqual([
      "gpt <think>\nr\n</think>\n<think>s</think>z",
    ]);
  });

  it("16: keys keep their order", () => {
    expect(turnsOf([{ role: "assistant", content: "", tool_calls: [call("c", "a", '{"10":1,"2":2}')] }])[0]).toContain(
      '"arguments": {"10": 1, "2": 2}',
    );
  });
});

describe("the trajectory format", () => {
  it("[50:1.4] has a fixed system turn", () => {
    const opening = [
      "You are a function calling AI model. You are provided with function signatures within <tools> </tools> XML tags.",
      "You may call one or more functions to assist with the user query. If available tools are not relevant in assisting",
      "with user query, just respond in natural conversational language. Don't make assumptions about what values to plug",
      "into functions. After calling & executing the functions, you will be provided with function results within",
      "<tool_response> </tool_response> XML tags. Here are the available tools:",
    ].join(" ");
    expect(systemTurn([])).toBe(
      `${opening}
<tools>
[]
</tools>
For each function call return a JSON object, with the following pydantic model json schema for each:
{'title': 'FunctionCall', 'type': 'object', 'properties': {'name': {'title': 'Name', 'type': 'string'}, 'arguments': {'title': 'Arguments', 'type': 'object'}}, 'required': ['name', 'arguments']}
Each function call should be enclosed within <tool_call> </tool_call> XML tags.
Example:
<tool_call>
{'name': <function-name>,'arguments': <args-dict>}
</tool_call>`,
    );
    expect(systemTurn([{ name: "bare" }])).toContain(
      '[{"name": "bare", "description": "", "parameters": {}, "required": null}]',
    );
    expect(systemTurn([{ name: "$&", description: "$1" }])).toContain('{"name": "$&", "description": "$1"');
  });

  it("[50:1.5] begins with the oldest question of a session, and with the query when there is none", () => {
    const log = memoryLogger();
    const messages = [userMessage("first"), assistantMessage("a"), userMessage("second"), assistantMessage("b")];
    const turns = toShareGpt({ messages, query: "second", tools: [], log });
    expect(turns.map(({ value }) => value).slice(1)).toEqual(["first", `${emptyThink}a`, "second", `${emptyThink}b`]);
    const late = toShareGpt({ messages: [assistantMessage("a")], query: "asked", tools: [], log });
    expect(late.slice(1).map(({ value }) => value)).toEqual(["asked", `${emptyThink}a`]);
  });

  it("[50:1.6] takes reasoning from the provider's field, then ours, then the details", () => {
    const value = (fields: object) => turnsOf([{ role: "assistant", content: "x", ...fields }])[0];
    const details = [{ type: "encrypted", data: "…" }, { text: "detail" }];
    expect(value({ reasoning_content: "own", reasoning: "ours", reasoning_details: details })).toContain("\nown\n");
    expect(value({ reasoning_content: "", reasoning: "ours", reasoning_details: details })).toContain("\nours\n");
    expect(value({ reasoning: null, reasoning_details: details })).toContain("\ndetail\n");
  });

  it("[50:1.6] leaves a closing scratchpad tag alone", () => {
    const content = "x</REASONING_SCRATCHPAD>";
    expect(turnsOf([{ role: "assistant", content }])).toEqual([`gpt ${emptyThink}${content}`]);
  });

  it("[50:1.7] drops calls that are no objects", () => {
    expect(turnsOf([{ role: "assistant", content: "x", tool_calls: [null, "y"] }])).toEqual([`gpt ${emptyThink}x`]);
  });

  it("[50:1.8] embeds a result made of parts as JSON", () => {
    const turns = turnsOf([
      { role: "assistant", content: "", tool_calls: [call("c", "a", "{}")] },
      { role: "tool", content: [{ type: "text", text: "ok" }] },
    ]);
    expect(turns[1]).toContain('{"tool_call_id": "", "name": "a", "content": [{"type": "text", "text": "ok"}]}');
  });

  it("[50:0.4] writes a number that is not finite as null and says so", () => {
    const log = memoryLogger();
    const turns = turnsOf([{ role: "assistant", content: "", tool_calls: [call("c", "a", '{"n":1e999}')] }], log);
    expect(turns[0]).toContain('{"n": null}');
    expect(log.lines).toMatchObject([{ level: "warn" }]);
  });

  it("[50:1.10] reads back what it wrote", () => {
    const first = newToolCall({ id: "c1", name: "terminal", arguments: '{"p": 1.0, "10": 1, "2": 2}' });
    const second = newToolCall({ id: "c2", name: "read_file", arguments: "{}" });
    const messages = [
      userMessage("q"),
      assistantMessage("Looking", { reasoning: "why\nnot", tool_calls: [first, second] }),
      toolMessage(first, '{"a": 1}'),
      toolMessage(second, "plain"),
      assistantMessage("done"),
    ];
    const back = fromShareGpt(toShareGpt({ messages, tools: [], log: memoryLogger() }));
    expect(back.slice(1)).toEqual(messages);
  });

  it("[50:1.10] gives calls without results an id of their own, and keeps broken blocks as text", () => {
    const [assistant, broken] = fromShareGpt([
      { from: "gpt", value: `${emptyThink}<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>` },
      { from: "gpt", value: "<think>never closed <tool_call>\n{" },
    ]);
    expect(assistant).toMatchObject({ content: "", tool_calls: [{ id: "call_0_0" }] });
    expect(broken).toEqual({ role: "assistant", content: "<think>never closed <tool_call>\n{" });
  });

  it("reads any text without throwing and loses no plain answer", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const turns = toShareGpt({
          messages: [user, { role: "assistant", content: text }],
          tools: [],
          log: memoryLogger(),
        });
        expect(turns).toHaveLength(3);
        expect(turns[2]?.value.includes("<think>")).toBe(true);
        fromShareGpt([
          { from: "gpt", value: text },
          { from: "tool", value: text },
        ]);
      }),
    );
  });
});

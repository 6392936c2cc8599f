import { describe, expect, it } from "vitest";
import type { ParseOptions } from "./parser.ts";
import { getParser } from "./registry.ts";

/** `[input, content, calls]`; a call is written `name{arguments}`; "whole" means the input came back untouched. */
type Example = readonly [
  input: string,
  content: string | null | "whole",
  calls: readonly string[],
  options?: ParseOptions,
];

const B = "<｜tool▁calls▁begin｜>";
const E = "<｜tool▁calls▁end｜>";
const b = "<｜tool▁call▁begin｜>";
const e = "<｜tool▁call▁end｜>";
const s = "<｜tool▁sep｜>";
const v3 = (name: string, args: string) => `${b}function${s}${name}\n\`\`\`json\n${args}\n\`\`\`${e}`;
const v31 = (name: string, args: string) => `${b}${name}${s}${args}${e}`;
const S = "<|tool_calls_section_begin|>";
const singular = "<|tool_call_section_begin|>";
const X = "<|tool_calls_section_end|>";
const kimi = (id: string, args: string) =>
  `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${args}<|tool_call_end|>`;
const kimiOpen = (id: string, args: string) => kimi(id, args).replace("<|tool_call_end|>", "");
const longcat = (body: string) => `<longcat_tool_call>${body}</longcat_tool_call>`;
const arg = (key: string, value: string, between = "") =>
  `<arg_key>${key}</arg_key>${between}<arg_value>${value}</arg_value>`;
const coder = (name: string, ...parameters: [string, string][]) =>
  `<tool_call>\n<function=${name}>\n${parameters.map(([key, value]) => `<parameter=${key}>\n${value}\n</parameter>\n`).join("")}</function>\n</tool_call>`;
const stringCode = [
  { name: "w", description: "", parameters: { type: "object", properties: { code: { type: "string" } } } },
];

const examples: Readonly<Record<string, readonly Example[]>> = {
  "hermes [50:6.2]": [
    ["Hello", "whole", []],
    [
      '<tool_call>\n{"name": "terminal", "arguments": {"command": "ls -la"}}\n</tool_call>',
      null,
      ['terminal{"command": "ls -la"}'],
    ],
    [
      'I look.\n<tool_call>{"name":"a","arguments":{"p":"x"}}</tool_call>\n<tool_call>{"name":"b","arguments":{}}</tool_call> done',
      "I look.",
      ['a{"p": "x"}', "b{}"],
    ],
    ['<tool_call>{"name": "t", "arguments": {"c": "ls"}}', null, ['t{"c": "ls"}']],
    ['<tool_call>{"name": "t", "arguments": {"comm', "whole", []],
    ["<tool_call>not json</tool_call>", "whole", []],
    ['<tool_call>{"name":"a","arguments":{}}</tool_call><tool_call>{bad}</tool_call>', "whole", []],
    ['<tool_call>{"arguments":{"x":1}}</tool_call>', "whole", []],
    ['<tool_call>{"name":"t"}</tool_call>', null, ["t{}"]],
    [
      '<think>p</think>\n<tool_call>{"name":"t","arguments":{"q":"สวัสดี 你好 😀"}}</tool_call>',
      "<think>p</think>",
      ['t{"q": "สวัสดี 你好 😀"}'],
    ],
    [
      '<tool_call>{"name":"t","arguments":{"n":{"d":[1,{"e":null}]}}}</tool_call>',
      null,
      ['t{"n": {"d": [1, {"e": null}]}}'],
    ],
    [
      '<tool_call>{"name":"w","arguments":{"content":"a </tool_call> b"}}</tool_call>',
      null,
      ['w{"content": "a </tool_call> b"}'],
    ],
    ['<tool_call>{"name":"t","arguments":"{\\"a\\":1}"}</tool_call>', null, ['t{"a": 1}']],
    ['<tool_call>{"name": "t", "arguments": {"c": "ls"}}', "whole", [], { finishReason: "length" }],
    ['<tool_call>{"name":"t","arguments":{}}</tool_call>', null, ["t{}"], { finishReason: "length" }],
    ['<tool_call>{"name":"t","arguments":{}} and more</tool_call>', "whole", []],
    ["<tool_call> </tool_call>", "whole", []],
  ],
  "qwen [50:6.3]": [
    ["Hi", "whole", []],
    ['<tool_call>\n{"name": "get_time", "arguments": {}}\n</tool_call>', null, ["get_time{}"]],
    [
      '<think>\nneed\n</think>\n\n<tool_call>\n{"name":"s","arguments":{"q":"杭州"}}\n</tool_call>',
      "<think>\nneed\n</think>",
      ['s{"q": "杭州"}'],
    ],
    [
      '<tool_call>\n{"name":"a","arguments":{"i":1}}\n</tool_call>\n<tool_call>\n{"name":"a","arguments":{"i":2}}\n</tool_call>',
      null,
      ['a{"i": 1}', 'a{"i": 2}'],
    ],
    ['<tool_call>\n{"name":"a","arguments":{"i":1}}', null, ['a{"i": 1}']],
    [`<tool_call>\n{"name":"a", 'arguments': {}}\n</tool_call>`, "whole", []],
  ],
  "mistral [50:6.4]": [
    ["Hello", "whole", []],
    ['[TOOL_CALLS] [{"name": "f", "arguments": {"k": "v"}}]', null, ['f{"k": "v"}']],
    [
      'ok [TOOL_CALLS][{"name":"f","arguments":{"a":1}},{"name":"g","arguments":{"b":{"c":true}}}]',
      "ok",
      ['f{"a": 1}', 'g{"b": {"c": true}}'],
    ],
    ['[TOOL_CALLS]get_weather{"city": "Oslo"}', null, ['get_weather{"city": "Oslo"}']],
    ['[TOOL_CALLS]f{"a":1}[TOOL_CALLS]g{"b":2}', null, ['f{"a": 1}', 'g{"b": 2}']],
    ['Hi[TOOL_CALLS]f{"a": 1', "Hi", ['f{"a": 1']],
    ['Hi[TOOL_CALLS]f{"a": 1', "whole", [], { finishReason: "length" }],
    ["[TOOL_CALLS] not valid json", "whole", []],
    ['[TOOL_CALLS] [{"name":"f","arguments":{"a":1}}, {"name":"g","argu', null, ['f{"a": 1}']],
    ['[TOOL_CALLS] {"name":"f","arguments":{}}', null, ["f{}"]],
    ['[TOOL_CALLS]f{"q":"日本"}', null, ['f{"q": "日本"}']],
    ['[TOOL_CALLS] [{"name":"f","arguments":{"a":1}}] bye', null, ['f{"a": 1}']],
    ['[TOOL_CALLS]f[CALL_ID]abc123456[ARGS]{"a":1}', null, ['f{"a": 1} id abc123456']],
    ['[TOOL_CALLS]f[ARGS]{"a":1}', null, ['f{"a": 1}']],
  ],
  "llama3_json [50:6.5]": [
    ["no braces here", "whole", []],
    ['{"name": "get_weather", "parameters": {"city": "Oslo"}}', null, ['get_weather{"city": "Oslo"}']],
    ['<|python_tag|>{"name": "get_weather", "arguments": {"city": "Oslo"}}', null, ['get_weather{"city": "Oslo"}']],
    ['{"name":"a","parameters":{"x":1}}; {"name":"b","parameters":{"y":2}}', null, ['a{"x": 1}', 'b{"y": 2}']],
    ['Sure: {"name":"a","parameters":{}} thanks', "Sure:", ["a{}"]],
    ['The dict {"x": 1} is not a call', "whole", []],
    [
      '{"name":"a","parameters":{"inner":{"name":"b","parameters":{}}}}',
      null,
      ['a{"inner": {"name": "b", "parameters": {}}}'],
    ],
    ['{"name":"a","parameters":{"x":1}', "whole", []],
    ['{"name":"a","arguments":"raw string"}', null, ["araw string"]],
    ['{"name":"a","parameters":null}', "whole", []],
    ['{"name":"a","parameters":{}}{"name":"b","parameters":{}}', null, ["a{}", "b{}"]],
    ['Use {"k":1} then {"name":"a","parameters":{"q":"ไทย"}}', 'Use {"k":1} then', ['a{"q": "ไทย"}']],
    ['[{"name":"a","parameters":{}}]', null, ["a{}"]],
  ],
  "qwen3_coder [50:6.6]": [
    ["Hi", "whole", []],
    [coder("terminal", ["command", "ls -la"]), null, ['terminal{"command": "ls -la"}']],
    [
      `Ok.\n${coder("f", ["a", "1"], ["b", "true"], ["c", '{"x": [1]}'])}\n${coder("g")}`,
      "Ok.",
      ['f{"a": 1, "b": true, "c": {"x": [1]}}', "g{}"],
    ],
    ["<function=f><parameter=a>x</parameter></function>", null, ['f{"a": "x"}']],
    ["<tool_call>\n<function=f>\n<parameter=a>\nhello", null, ['f{"a": "hello"}']],
    ["<tool_call>\n<function=f>\n<parameter=a>\nhello", "whole", [], { finishReason: "length" }],
    [
      "<tool_call>\n<function=f>\n<parameter=a>\n1\n<parameter=b>\n2\n</function>\n</tool_call>",
      null,
      ['f{"a": 1, "b": 2}'],
    ],
    [
      coder("w", ["n", "NULL"], ["s", "007"], ["p", "(1, 2)"], ["u", "สวัสดี"]),
      null,
      ['w{"n": null, "s": "007", "p": [1, 2], "u": "สวัสดี"}'],
    ],
    ["<tool_call>\n<function=w\n</tool_call>", "whole", []],
    ['<tool_call>\n{"name":"f","arguments":{}}\n</tool_call>', "whole", []],
    [coder("w", ["content", "  def x():\n    pass"]), null, ['w{"content": "  def x():\\n    pass"}']],
    [coder("w", ["code", "123"]), null, ['w{"code": "123"}'], { tools: stringCode }],
    [coder("w", ["code", "123"]), null, ['w{"code": 123}']],
  ],
  "deepseek_v3 [50:6.7]": [
    ["Hi", "whole", []],
    [`${B}${v3("get_weather", '{"city": "Oslo"}')}${E}`, null, ['get_weather{"city": "Oslo"}']],
    [
      `Checking.\n${B}${v3("f", '{"a": 1}')}\n${v3("g", '{"b": {"c": [1]}}')}${E}`,
      "Checking.",
      ['f{"a": 1}', 'g{"b": {"c": [1]}}'],
    ],
    [`${B}${b}function${s}f\n\`\`\`json\n{"a": 1}\n\`\`\``, "whole", []],
    [`${B}${v3("f", '{"a": 1}')}${b}function${s}g\n\`\`\`json\n{"b"`, null, ['f{"a": 1}']],
    [`${B}${v3("f", "{bad json}")}${E}`, null, ["f{bad json}"]],
    [v3("f", "{}"), "whole", []],
    [`${B}${v3("w", '{"code": "```js\\nx\\n```"}')}${E}`, null, ['w{"code": "```js\\nx\\n```"}']],
    [`${B}${b}function${s}f \`\`\`json {"q":"北京"} \`\`\`${e}${E} tail`, null, ['f{"q":"北京"}']],
  ],
  "deepseek_v3_1 [50:6.8]": [
    ["Hi", "whole", []],
    [`${B}${v31("get_weather", '{"city": "Oslo"}')}${E}`, null, ['get_weather{"city": "Oslo"}']],
    [`Ok ${B}${v31("f", '{"a":1}')}${v31("g", '{"b":2}')}${E}`, "Ok", ['f{"a":1}', 'g{"b":2}']],
    [`${B}${b}f${s}{"a":1}`, "whole", []],
    [`${B}${v31("f", "{oops")}${E}`, null, ["f{oops"]],
    [`${B}${v31(" f ", '\n{"q":"เชียงใหม่"}\n')}${E} bye`, null, ['f{"q":"เชียงใหม่"}']],
    [`${B}${v31("f", '{"a":{"b":[1,2]}}')}${b}g${s}{"x"`, null, ['f{"a":{"b":[1,2]}}']],
  ],
  "kimi_k2 [50:6.9]": [
    ["Hi", "whole", []],
    [
      `${S}${kimi("functions.get_weather:0", '{"city": "Oslo"}')}${X}`,
      null,
      ['get_weather{"city": "Oslo"} id functions.get_weather:0'],
    ],
    [
      `See. ${S}${kimi("functions.f:0", '{"a":1}')}${kimi("functions.g:1", '{"b":{"c":2}}')}${X}`,
      "See.",
      ['f{"a":1} id functions.f:0', 'g{"b":{"c":2}} id functions.g:1'],
    ],
    [`${S}${kimi("terminal:3", "{}")}${X}`, null, ["terminal{} id terminal:3"]],
    [`${S}${kimiOpen("functions.f:0", '{"a":1')}`, "whole", []],
    [
      `${S}${kimi("functions.f:0", '{"a":1}')}${kimiOpen("functions.g:1", '{"b"')}`,
      null,
      ['f{"a":1} id functions.f:0'],
    ],
    [`${singular}${kimi("functions.f:0", '{"a":1}')}`, null, ['f{"a":1} id functions.f:0']],
    [`${S}${kimi("functions.f", "{}")}${X}`, "whole", []],
    [`${S}${kimi("functions.f:0", '{"q":"<b>ü</b>"}')}${X} tail`, null, ['f{"q":"<b>ü</b>"} id functions.f:0']],
    [kimi("functions.f:0", "{}"), "whole", []],
  ],
  "longcat [50:6.10]": [
    ["Hi", "whole", []],
    [longcat('{"name":"f","arguments":{"a":1}}'), null, ['f{"a": 1}']],
    [
      `Do.\n${longcat('\n{"name":"f","arguments":{"a":1}}\n')}\n${longcat('\n{"name":"g","arguments":{}}\n')}`,
      "Do.",
      ['f{"a": 1}', "g{}"],
    ],
    ['<longcat_tool_call>{"name":"f","arguments":{"a":1}}', null, ['f{"a": 1}']],
    [longcat('{"arguments":{}}'), "whole", []],
    ['<tool_call>{"name":"f","arguments":{}}</tool_call>', "whole", []],
    [longcat("oops"), "whole", []],
    [`${longcat('{"name":"f","arguments":{"q":"ñ"}}')} end`, null, ['f{"q": "ñ"}']],
  ],
  "glm45 [50:6.11]": [
    ["Hi", "whole", []],
    [
      `<tool_call>get_weather\n${arg("city", "Oslo", "\n")}\n${arg("days", "3", "\n")}\n</tool_call>`,
      null,
      ['get_weather{"city": "Oslo", "days": 3}'],
    ],
    [
      `L.\n<tool_call>f\n${arg("flag", "true")}</tool_call>\n<tool_call>g\n${arg("l", '[1, "x"]')}</tool_call>`,
      "L.",
      ['f{"flag": true}', 'g{"l": [1, "x"]}'],
    ],
    [`<tool_call>f\n${arg("a", "{'k': 1}")}</tool_call>`, null, ['f{"a": {"k": 1}}']],
    ["<tool_call>f</tool_call>", "whole", []],
    ["<tool_call>f\n</tool_call>", null, ["f{}"]],
    ["<tool_call>f\n<arg_key>a</arg_key><arg_value>1", "whole", []],
    [`<tool_call>f\n${arg("c", "l1\nl2 สวัสดี")}</tool_call> tail`, null, ['f{"c": "l1\\nl2 สวัสดี"}']],
    [
      `<tool_call>f\n${arg("n", "null")}${arg("s", '"007"')}${arg("z", "007")}</tool_call>`,
      null,
      ['f{"n": null, "s": "007", "z": "007"}'],
    ],
    [`<tool_call>f\n${arg("t", "True")}${arg("u", "")}</tool_call>`, null, ['f{"t": true, "u": ""}']],
    [
      `<tool_call>f\n${arg("n", "None")}${arg("l", "[None, {'k': None}]")}</tool_call>`,
      null,
      ['f{"n": null, "l": [null, {"k": null}]}'],
    ],
  ],
  "glm47 [50:6.12]": [
    ["plain", "whole", []],
    [`<tool_call>get_weather${arg("city", "Oslo")}</tool_call>`, null, ['get_weather{"city": "Oslo"}']],
    ["<tool_call>get_time</tool_call>", null, ["get_time{}"]],
    [`<tool_call>f\n${arg("a", "1", "\n")}\n</tool_call>`, null, ['f{"a": 1}']],
    [
      `ok <tool_call>f${arg("a", "x", "\\n")}</tool_call><tool_call>g${arg("b", '{"c": [1,2]}')}</tool_call>`,
      "ok",
      ['f{"a": "x"}', 'g{"b": {"c": [1, 2]}}'],
    ],
    ["<tool_call>f<arg_key>a</arg_key><arg_value>1", "whole", []],
    [`<tool_call>f${arg("a", "1")}</tool_call><tool_call>g<arg_key>b`, null, ['f{"a": 1}']],
    [`<tool_call>f${arg("q", "北京")}</tool_call>tail`, null, ['f{"q": "北京"}']],
    [`<tool_call>f${arg("n", "None")}</tool_call>`, null, ['f{"n": null}']],
  ],
};

describe.each(Object.entries(examples))("%s", (title, rows) => {
  const parser = getParser(title.split(" ")[0] ?? "");
  for (const [input, content, calls, options] of rows) {
    it(`${JSON.stringify(input)}${options === undefined ? "" : ` with ${Object.keys(options).join()}`}`, () => {
      const parsed = parser.parse(input, options);
      expect(parsed.content).toBe(content === "whole" ? input : content);
      const shown = parsed.tool_calls?.map((call, index) => {
        const id = calls[index]?.includes(" id ") ? ` id ${call.id}` : "";
        return `${call.function.name}${call.function.arguments}${id}`;
      });
      expect(shown ?? []).toEqual(calls);
      expect(parsed.tool_calls === null).toBe(calls.length === 0);
    });
  }
});

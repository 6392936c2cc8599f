import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectLinear } from "#foundation/testing/growth";
import { decodeExact } from "#foundation/text/exact-json";
import { exactJsonText } from "#foundation/text/exact-json-text";
import { getParser, listParsers } from "./registry.ts";
import { ParserStream } from "./stream.ts";

const names = listParsers();
const simpleArgs = fc.dictionary(
  fc.stringMatching(/^[a-z_]{1,8}$/),
  fc.oneof(
    fc.integer(),
    fc.boolean(),
    fc.stringMatching(/^[a-zA-Z][a-zA-Z .,!?é你😀]{0,20}[a-z]$/u),
    fc.constant(null),
  ),
  { maxKeys: 4 },
);
const someCalls = fc.array(fc.tuple(fc.stringMatching(/^[a-z][a-z_]{0,10}$/), simpleArgs), {
  minLength: 1,
  maxLength: 4,
});
const toCalls = (calls: readonly [string, object][]) =>
  calls.map(([name, args]) => ({ name, arguments: exactJsonText(decodeExact(JSON.stringify(args))?.value ?? null) }));

describe("the parsers", () => {
  it("are the thirteen documented ones; another name lists them [50:6.1]", () => {
    expect(names).toEqual([
      "deepseek_v3",
      "deepseek_v31",
      "deepseek_v3_1",
      "glm45",
      "glm47",
      "hermes",
      "kimi_k2",
      "llama3_json",
      "llama4_json",
      "longcat",
      "mistral",
      "qwen",
      "qwen3_coder",
    ]);
    expect(() => getParser("nope")).toThrow('There is no tool-call parser "nope"');
    expect(() => getParser("toString")).toThrow();
  });

  it.each(names)("%s gives the empty text back as it is [50:6.1]", (name) => {
    expect(getParser(name).parse("")).toEqual({ content: "", tool_calls: null });
  });

  it.each(names)("%s reads what it renders [50:6.1] [50:6.13]", (name) => {
    const parser = getParser(name);
    fc.assert(
      fc.property(someCalls, (some) => {
        const calls = toCalls(some);
        const parsed = parser.parse(`Sure.\n${parser.render(calls)}`);
        expect(parsed.content).toBe("Sure.");
        expect(parsed.tool_calls?.map((call) => call.function.name)).toEqual(calls.map((call) => call.name));
        expect(parsed.tool_calls?.map((call) => JSON.parse(call.function.arguments))).toEqual(
          calls.map((call) => JSON.parse(call.arguments)),
        );
      }),
    );
  });

  it.each(names)("%s survives noise anywhere [50:6.1]", (name) => {
    const parser = getParser(name);
    const text = parser.render([{ name: "terminal", arguments: '{"command": "ls"}' }]);
    fc.assert(
      fc.property(fc.nat(text.length), fc.string({ unit: "binary", maxLength: 20 }), (at, noise) => {
        const parsed = parser.parse(`${text.slice(0, at)}${noise}${text.slice(at)}`);
        expect(parsed.tool_calls === null || parsed.tool_calls.length > 0).toBe(true);
      }),
    );
  });

  it.each(names)("%s stays linear on hostile text [50:6.14]", (name) => {
    const parser = getParser(name);
    const marker = parser.markers[0] ?? "";
    const closed = parser.render([{ name: "t", arguments: "{}" }]);
    for (const piece of [marker, `${marker}{"a":`, '{"a":{"a":', closed.slice(0, -1), `${marker}[`, "<", "{{"]) {
      expectLinear(200_000, (size) => void parser.parse(`${marker}${piece.repeat(Math.ceil(size / piece.length))}`));
    }
  });

  it.each(names)("%s gives a thousand calls a thousand ids [50:6.1]", (name) => {
    const parser = getParser(name);
    const calls = Array.from({ length: 1_000 }, () => ({ name: "same", arguments: "{}" }));
    const parsed = parser.parse(parser.render(calls));
    expect(new Set(parsed.tool_calls?.map((call) => call.id)).size).toBe(1_000);
  });

  it("write ids in the form their templates expect [50:6.4] [50:6.6]", () => {
    const id = (name: string) => {
      const parser = getParser(name);
      return parser.parse(parser.render([{ name: "f", arguments: "{}" }])).tool_calls?.[0]?.id;
    };
    expect(id("hermes")).toMatch(/^call_[0-9a-f]{8}$/);
    expect(id("qwen3_coder")).toMatch(/^call_[0-9a-f]{24}$/);
    expect(id("mistral")).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(id("hermes")).toBe(id("hermes"));
  });

  it("keep 64-bit integers, floats and line separators exactly [50:0.4] [50:6.14]", () => {
    const text = '<tool_call>{"name":"t","arguments":{"n":9007199254740993,"f":1.0,"s":"a\u2028b"}}</tool_call>';
    expect(getParser("hermes").parse(text).tool_calls?.[0]?.function.arguments).toBe(
      '{"n": 9007199254740993, "f": 1.0, "s": "a\u2028b"}',
    );
  });

  it("find no call in any prefix that stops before the object is whole [50:6.14]", () => {
    const text = 'Ok <tool_call>{"name": "t", "arguments": {"c": "ls"}}</tool_call>';
    const whole = text.indexOf("}}") + 2;
    for (let length = 0; length < whole; length += 1) {
      expect(getParser("hermes").parse(text.slice(0, length)).tool_calls).toBeNull();
    }
    expect(getParser("hermes").parse(text.slice(0, whole)).tool_calls).toHaveLength(1);
  });
});

describe("a parser on a stream", () => {
  it.each(names)("%s finds the same as on the whole text, however it is split", (name) => {
    const parser = getParser(name);
    fc.assert(
      fc.property(someCalls, fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (some, sizes) => {
        const text = `Let me see.\n${parser.render(toCalls(some))}`;
        const stream = new ParserStream(parser);
        let shown = "";
        for (let at = 0; at < text.length; ) {
          const size = sizes.next().value as number;
          shown += stream.push(text.slice(at, at + size));
          at += size;
        }
        expect(stream.end()).toEqual(parser.parse(text));
        expect(shown.trim()).toBe("Let me see.");
      }),
    );
  });

  it("hands text out as soon as it cannot be a marker any more", () => {
    const stream = new ParserStream(getParser("hermes"));
    expect(stream.push("a <b> ")).toBe("a <b> ");
    expect(stream.push("<tool")).toBe("");
    expect(stream.push("box> c")).toBe("<toolbox> c");
    expect(stream.push("<tool_call>{")).toBe("");
    expect(stream.push("more")).toBe("");
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitReasoning } from "#conversation";
import { EventWriter } from "./event-writer.ts";
import { finishOf } from "./finish.ts";
import { ReasoningTags } from "./reasoning-tags.ts";
import { geminiSchema } from "./schema/gemini-schema.ts";
import { moonshotSchema } from "./schema/moonshot-schema.ts";
import { standardSchema } from "./schema/tool-schema.ts";
import { type CallPiece, ToolInputs } from "./tool-input.ts";
import { anthropicUsage, chatUsage, geminiUsage, laterUsage, responsesUsage } from "./usage.ts";

function split(pieces: readonly string[]): { text: string; reasoning: string } {
  let text = "";
  let reasoning = "";
  const tags = new ReasoningTags({
    text: (piece) => {
      text += piece;
    },
    reasoning: (piece) => {
      reasoning += piece;
    },
  });
  for (const piece of pieces) tags.push(piece);
  tags.end();
  return { text, reasoning };
}

describe("reasoning tags on a stream", () => {
  it.each([
    ["<think>a</think>b", "b", "a"],
    ["<THINKING>\na\n</THINKING>\n\nb", "b", "\na\n"],
    ["x\n<thought>a</thought>y", "x\ny", "a"],
    ["<think>never closed", "", "never closed"],
    ["use the <think> tag", "use the <think> tag", ""],
    ["```\n<think>\n```\n", "```\n<think>\n```\n", ""],
    ["a < b and <thinker>", "a < b and <thinker>", ""],
    ["<REASONING_SCRATCHPAD>s</REASONING_SCRATCHPAD>t", "t", "s"],
    ['<think type="x">a</think >b', "b", "a"],
    ["<thin", "<thin", ""],
  ])("splits %j [20:R1.3] [10:LOOP-45]", (input, text, reasoning) => {
    expect(split([input])).toEqual({ text, reasoning });
    expect(split([...input])).toEqual({ text, reasoning });
  });

  it("does not depend on how the text is cut, and loses nothing but tags", () => {
    const token = fc.constantFrom(
      "<think>",
      "</think>",
      "<thinking",
      ">",
      "\n",
      " ",
      "a",
      "```",
      "<",
      "/",
      "</thin",
      "k>",
      "~~~",
      "<thought>",
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 14 }), fc.array(fc.nat(30), { maxLength: 8 }), (tokens, cuts) => {
        const input = tokens.join("");
        const at = [...new Set(cuts.filter((cut) => cut < input.length))].sort((a, b) => a - b);
        const pieces = [0, ...at].map((from, index) => input.slice(from, at[index] ?? input.length));
        expect(split(pieces)).toEqual(split([input]));
        // A tag may have attributes, which go with it.
        if (/<th[a-z]*\s/.test(input)) return;
        const letters = (text: string): number => text.split("a").length;
        const { text, reasoning } = split([input]);
        expect(letters(text) + letters(reasoning) - 1).toBe(letters(input));
      }),
      { numRuns: 500 },
    );
  });

  it("leaves the rest to the pass over the whole text", () => {
    const { text, reasoning } = split(["<think>a</think>b <think>c</think> d"]);
    expect(reasoning).toBe("a");
    expect(splitReasoning(text).visible).toBe("b  d");
  });
});

function gather(
  pieces: readonly CallPiece[],
  options: { wasCut?: boolean; tools?: Parameters<ToolInputs["finish"]>[0]["tools"] } = {},
) {
  const writer = new EventWriter();
  const inputs = new ToolInputs(writer);
  for (const piece of pieces) inputs.add(piece);
  const finished = inputs.finish({ wasCut: options.wasCut ?? false, tools: options.tools ?? [] });
  return { ...finished, events: writer.take() };
}

describe("streamed calls", () => {
  it("opens a second call for another id on the same number [20:R1.23] [20:A1.4] [10:LOOP-51]", () => {
    const { calls } = gather([
      { index: 0, id: "a", name: "x", arguments: "{}" },
      { index: 0, id: "b", name: "y", arguments: '{"q":' },
      { index: 0, arguments: "1}" },
    ]);
    expect(calls.map(({ id, function: f }) => [id, f.name, f.arguments])).toEqual([
      ["a", "x", "{}"],
      ["b", "y", '{"q":1}'],
    ]);
  });

  it("assigns names and appends arguments, also when both are repeated [20:R1.23]", () => {
    const { calls } = gather([
      { index: 0, id: "a", name: "read", arguments: '{"a"' },
      { index: 0, id: "a", name: "read", arguments: ":1}" },
    ]);
    expect(calls[0]?.function).toEqual({ name: "read", arguments: '{"a":1}' });
  });

  it("tells calls without ids and numbers apart", () => {
    const { calls } = gather([
      { name: "x", arguments: '{"a":1}' },
      { name: "x", arguments: '{"a":2}' },
    ]);
    expect(calls.map((call) => call.function.arguments)).toEqual(['{"a":1}', '{"a":2}']);
  });

  it("derives a missing id from what the call says [20:R1.5] [10:LOOP-10]", () => {
    const once = gather([{ index: 0, name: "x", arguments: '{"a":1}' }]).calls[0]?.id;
    const again = gather([
      { index: 0, name: "x", arguments: '{"a":' },
      { index: 0, arguments: "1}" },
    ]).calls[0]?.id;
    expect(once).toMatch(/^call_[0-9a-f]{12}$/);
    expect(again).toBe(once);
  });

  it("gives two calls of one id two ids", () => {
    const { calls } = gather([
      { index: 0, id: "same", name: "x", arguments: "{}" },
      { index: 1, id: "same", name: "x", arguments: "{}" },
    ]);
    expect(new Set(calls.map((call) => call.id)).size).toBe(2);
  });

  it.each([
    ['{"path":"x",}', '{"path":"x"}', false],
    ["None", "{}", false],
    ["", "{}", false],
    ['{"a":"x\ny"}', '{"a":"x\\ny"}', false],
    ['{"a":1}}}', '{"a":1}', false],
    ['{"a":[1,2]', '{"a":[1,2]}', false],
    ['{"a":"unterminated', '{"a":"unterminated', true],
    ['{"a":1', '{"a":1', true],
    ["{'a':1}", "{'a':1}", false],
  ])("mends %j to %j, cut: %s [20:R1.24] [20:A1.5] [10:LOOP-34] [10:LOOP-35]", (text, expected, isTruncated) => {
    const found = gather([{ index: 0, id: "a", name: "x", arguments: text }]);
    expect(found.calls[0]?.function.arguments).toBe(expected);
    expect(found.isTruncated).toBe(isTruncated);
  });

  it("supplies no closers in an answer that was cut, nor where something required is missing [10:LOOP-35]", () => {
    const pieces = [{ index: 0, id: "a", name: "x", arguments: '{"a":[1]' }];
    expect(gather(pieces, { wasCut: true }).calls[0]?.function.arguments).toBe('{"a":[1]');
    const tools = [{ name: "x", description: "", parameters: { type: "object", required: ["b"] } }];
    expect(gather(pieces, { tools }).isTruncated).toBe(true);
    const satisfied = [{ name: "x", description: "", parameters: { type: "object", required: ["a"] } }];
    expect(gather(pieces, { tools: satisfied }).calls[0]?.function.arguments).toBe('{"a":[1]}');
  });

  it("starts each call once, as soon as its name is known [20:R1.26]", () => {
    const { events } = gather([
      { index: 0, id: "a", arguments: '{"x"' },
      { index: 0, name: "f", arguments: ":1" },
      { index: 0, arguments: "}" },
    ]);
    expect(events.map((event) => event.type)).toEqual([
      "attempt-start",
      "tool-input-start",
      "tool-input-delta",
      "tool-input-delta",
      "tool-input-delta",
      "tool-call",
    ]);
    expect(events.flatMap((event) => (event.type === "tool-input-delta" ? [event.text] : []))).toEqual([
      '{"x"',
      ":1",
      "}",
    ]);
  });

  it("serialises arguments that came as objects [10:LOOP-34]", () => {
    expect(gather([{ index: 0, name: "x", arguments: { a: 1 } }]).calls[0]?.function.arguments).toBe('{"a":1}');
  });
});

describe("finish reasons [20:R1.55]", () => {
  it.each([
    ["chat", "stop", false, "stop"],
    ["chat", "function_call", true, "tool_calls"],
    ["chat", "stop", true, "tool_calls"],
    ["chat", "length", true, "length"],
    ["chat", "content_filter", false, "content_filter"],
    ["chat", "eos", false, "stop"],
    ["chat", undefined, false, "stop"],
    ["chat", "constructor", false, "stop"],
    ["anthropic", "end_turn", false, "stop"],
    ["anthropic", "stop_sequence", false, "stop"],
    ["anthropic", "tool_use", true, "tool_calls"],
    ["anthropic", "max_tokens", false, "length"],
    ["anthropic", "model_context_window_exceeded", false, "length"],
    ["anthropic", "refusal", false, "content_filter"],
    ["anthropic", "pause_turn", false, "incomplete"],
    ["gemini", "STOP", true, "tool_calls"],
    ["gemini", "OTHER", false, "stop"],
    ["gemini", "MAX_TOKENS", false, "length"],
    ["gemini", "MAX_TOKENS", true, "tool_calls"],
    ["gemini", "SAFETY", false, "content_filter"],
    ["gemini", "RECITATION", false, "content_filter"],
    ["bedrock", "tool_use", true, "tool_calls"],
    ["bedrock", "content_filtered", false, "content_filter"],
    ["bedrock", "guardrail_intervened", false, "content_filter"],
    ["bedrock", "max_tokens", false, "length"],
  ] as const)("%s %s with calls %s is %s", (wire, word, hasCalls, expected) => {
    expect(finishOf(wire, word, hasCalls)).toBe(expected);
  });
});

describe("usage [20:R1.56] [10:LOOP-55]", () => {
  it("takes cached tokens out of the input [20:A1.7]", () => {
    expect(
      chatUsage({ prompt_tokens: 1000, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 800 } }),
    ).toEqual({
      input: 200,
      output: 50,
      cacheRead: 800,
      cacheWrite: 0,
      reasoning: 0,
    });
  });

  it("reads the names of other chat servers", () => {
    expect(
      chatUsage({
        prompt_tokens: 100,
        completion_tokens: 9,
        cache_read_input_tokens: 30,
        cache_creation_input_tokens: 20,
      }),
    ).toMatchObject({ input: 50, cacheRead: 30, cacheWrite: 20 });
    expect(chatUsage({ prompt_tokens: 100, completion_tokens: 9, prompt_cache_hit_tokens: 64 })).toMatchObject({
      input: 36,
      cacheRead: 64,
    });
    expect(
      chatUsage({ prompt_tokens: 5, completion_tokens: 9, completion_tokens_details: { reasoning_tokens: 4 } })
        ?.reasoning,
    ).toBe(4);
    expect(
      chatUsage({ prompt_tokens: 5, completion_tokens: 9, output_tokens_details: { reasoning_tokens: 3 } })?.reasoning,
    ).toBe(3);
  });

  it("has no negative counts and tells nothing from zero", () => {
    expect(chatUsage({ prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 80 } })?.input).toBe(0);
    for (const usage of [chatUsage, anthropicUsage, responsesUsage, geminiUsage]) {
      expect(usage(undefined)).toBeUndefined();
      expect(usage({})).toBeUndefined();
      expect(usage("x")).toBeUndefined();
    }
  });

  it("reads the other wires", () => {
    expect(
      anthropicUsage({ input_tokens: 3, output_tokens: 4, cache_read_input_tokens: 5, cache_creation_input_tokens: 6 }),
    ).toEqual({ input: 3, output: 4, cacheRead: 5, cacheWrite: 6, reasoning: 0 });
    expect(
      responsesUsage({
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 60, cache_creation_tokens: 10 },
        output_tokens: 7,
        output_tokens_details: { reasoning_tokens: 2 },
      }),
    ).toEqual({ input: 30, output: 7, cacheRead: 60, cacheWrite: 10, reasoning: 2 });
    expect(
      geminiUsage({
        promptTokenCount: 100,
        cachedContentTokenCount: 40,
        candidatesTokenCount: 10,
        thoughtsTokenCount: 5,
      }),
    ).toEqual({ input: 60, output: 15, cacheRead: 40, cacheWrite: 0, reasoning: 5 });
    expect(
      laterUsage(anthropicUsage({ input_tokens: 9, output_tokens: 1 }), anthropicUsage({ output_tokens: 7 })),
    ).toMatchObject({ input: 9, output: 7 });
  });
});

describe("tool schemas", () => {
  it("makes every schema an object schema whose arrays say what they hold", () => {
    expect(standardSchema({ properties: { a: { type: "array" } }, anyOf: [{}] })).toEqual({
      type: "object",
      properties: { a: { type: "array", items: {} } },
    });
  });

  it("gives Moonshot a type everywhere but at references and beside anyOf", () => {
    const schema = {
      type: "object",
      properties: {
        plain: {},
        list: { items: {} },
        choice: { enum: [1, 2] },
        nested: { properties: { x: { description: "d" } } },
        either: { type: "string", anyOf: [{ type: "string" }, { enum: ["a"] }] },
        named: { $ref: "#/$defs/x" },
        maybe: { type: ["string", "null"] },
      },
    };
    expect(moonshotSchema(schema)).toEqual({
      type: "object",
      properties: {
        plain: { type: "string" },
        list: { type: "array", items: { type: "string" } },
        choice: { type: "integer", enum: [1, 2] },
        nested: { type: "object", properties: { x: { type: "string", description: "d" } } },
        either: { anyOf: [{ type: "string" }, { type: "string", enum: ["a"] }] },
        named: { $ref: "#/$defs/x" },
        maybe: { type: "string" },
      },
    });
  });

  it("reduces schemas to what Gemini reads [20:R1.62]", () => {
    const schema = {
      $schema: "x",
      type: "object",
      additionalProperties: false,
      $defs: { point: { type: "object", properties: { x: { type: "number", exclusiveMinimum: 0 } } } },
      properties: {
        n: { type: "integer", enum: [1, 2] },
        s: { enum: ["a", "b"] },
        p: { $ref: "#/$defs/point" },
        o: { oneOf: [{ type: "string" }, { type: "number" }] },
        m: { type: ["string", "null"] },
        c: { const: "k" },
      },
      required: ["n", "ghost"],
    };
    expect(geminiSchema(schema)).toEqual({
      type: "object",
      properties: {
        n: { type: "integer" },
        s: { type: "string", enum: ["a", "b"] },
        p: { type: "object", properties: { x: { type: "number" } } },
        o: { anyOf: [{ type: "string" }, { type: "number" }] },
        m: { type: "string", nullable: true },
        c: { type: "string", enum: ["k"] },
      },
      required: ["n"],
    });
  });

  it("survives schemas that refer to themselves", () => {
    const schema = {
      type: "object",
      $defs: { n: { type: "object", properties: { next: { $ref: "#/$defs/n" } } } },
      properties: { n: { $ref: "#/$defs/n" } },
    };
    expect(JSON.stringify(geminiSchema(schema))).not.toContain("$ref");
  });
});

describe("the event writer", () => {
  it("joins characters that were cut in two, and replaces a half that stays alone [20:R1.6] [10:LOOP-42]", () => {
    const writer = new EventWriter();
    writer.text("a\ud83c");
    writer.text("\udf89b\ud83c");
    writer.finish("stop", undefined);
    expect(writer.take().flatMap((event) => (event.type === "text-delta" ? [event.text] : []))).toEqual([
      "a",
      "🎉b",
      "\ufffd",
    ]);
  });
});

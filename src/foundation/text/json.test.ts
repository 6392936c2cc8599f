import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Secret } from "../secrets/secret.ts";
import { canonicalJson, isRecord, parseJson, scrubDeep, scrubSurrogates, toJsonText } from "./json.ts";

describe("reading JSON", () => {
  test("whatever JSON.parse accepts is accepted with the same value", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  test("a mistake is located", () => {
    expect(parseJson('{"a": x}')).toEqual({ ok: false, message: 'unexpected "x" at line 1, column 7', position: 6 });
    expect(parseJson('{\n "a": 1,\n}')).toEqual({
      ok: false,
      message: 'unexpected "}" at line 3, column 1',
      position: 11,
    });
    expect(parseJson('{"a": [1, 2')).toEqual({ ok: false, message: "the text ends too early", position: 11 });
    expect(parseJson('"a\nb"')).toEqual({ ok: false, message: 'unexpected "\\n" at line 1, column 3', position: 2 });
    expect(parseJson("[1] 2")).toMatchObject({ position: 4 });
    expect(parseJson('{"a" 1}')).toMatchObject({ position: 5 });
    expect(parseJson("[01]")).toMatchObject({ position: 2 });
    expect(parseJson('"\\x"')).toMatchObject({ position: 1 });
    expect(parseJson("[1}")).toMatchObject({ position: 2 });
    expect(parseJson("")).toMatchObject({ ok: false, position: 0 });
  });

  test("every text JSON.parse refuses is refused with a position inside it", () => {
    const almostJson = fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 })).map(([text, at, junk]) => {
      const index = at % (text.length + 1);
      return text.slice(0, index) + junk + text.slice(index + 1);
    });
    fc.assert(
      fc.property(fc.oneof(almostJson, fc.string()), (text) => {
        const parsed = parseJson(text);
        let isValid = true;
        try {
          JSON.parse(text);
        } catch {
          isValid = false;
        }
        expect(parsed.ok).toBe(isValid);
        if (parsed.ok) return;
        expect(parsed.position).toBeGreaterThanOrEqual(0);
        expect(parsed.position).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 500 },
    );
  });

  test("a message does not repeat the text, which may hold a secret", () => {
    const parsed = parseJson('{"api_key": "sk-secret" "b"}');
    expect(parsed.ok).toBe(false);
    expect(JSON.stringify(parsed)).not.toContain("sk-secret");
  });

  test("nesting too deep and strings too long do not crash the search for the mistake", () => {
    expect(parseJson("[".repeat(200_000))).toMatchObject({ ok: false, position: 200_000 });
    expect(parseJson(`"${"a".repeat(5_000_000)}`)).toMatchObject({ ok: false, position: 5_000_001 });
  });
});

describe("canonical JSON", () => {
  test("it reads back as the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("the order in which keys were written does not matter, at any depth", () => {
    const shuffle = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffle);
      if (!isRecord(value)) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, item]) => [key, shuffle(item)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: "grapheme" }), (value) => {
        expect(canonicalJson(shuffle(value))).toBe(canonicalJson(value));
      }),
      { numRuns: 40 },
    );
  });

  test("keys are sorted as text, without spaces, keeping non-ASCII", () => {
    expect(canonicalJson({ b: 1, a: { "10": "ü", "9": [1, null] }, __proto__x: undefined })).toBe(
      '{"a":{"10":"ü","9":[1,null]},"b":1}',
    );
  });

  test("a key named __proto__ is data like any other", () => {
    const value: unknown = JSON.parse('{"__proto__": {"x": 1}, "a": 2}');
    expect(canonicalJson(value)).toBe('{"__proto__":{"x":1},"a":2}');
  });

  test("what JSON leaves out is left out, and what it converts is converted", () => {
    expect(canonicalJson([undefined, () => 1, new Date(0), new Secret("x")])).toBe(
      '[null,null,"1970-01-01T00:00:00.000Z","***"]',
    );
    expect(canonicalJson(undefined)).toBe("null");
  });
});

describe("writing any value", () => {
  test("a cycle, a bigint and a throwing field do not stop it", () => {
    const value: Record<string, unknown> = { big: 5n, list: [1] };
    value.self = value;
    Object.defineProperty(value, "bad", {
      enumerable: true,
      value: {
        toJSON() {
          throw new Error("no");
        },
      },
    });
    expect(JSON.parse(toJsonText(value))).toEqual({ big: "5", list: [1], self: "[circular]", bad: "[unreadable]" });
    expect(toJsonText(undefined)).toBe("null");
  });

  test("the same object twice is not a cycle", () => {
    const shared = { a: 1n };
    expect(JSON.parse(toJsonText([shared, shared]))).toEqual([{ a: "1" }, { a: "1" }]);
  });
});

describe("surrogates", () => {
  const anyUnits = fc
    .array(fc.integer({ min: 0xd7ff, max: 0xe001 }), { maxLength: 8 })
    .map((units) => String.fromCharCode(...units));

  test("[10:LOOP-42] lone surrogates become U+FFFD and valid pairs stay", () => {
    expect(scrubSurrogates("a\ud83d\ude00b\ud83dc\ude00")).toBe("a\ud83d\ude00b\ufffdc\ufffd");
    fc.assert(
      fc.property(anyUnits, (text) => {
        const scrubbed = scrubSurrogates(text);
        expect(() => encodeURIComponent(scrubbed)).not.toThrow();
        expect(scrubbed.length).toBe(text.length);
      }),
    );
  });

  test("[10:LOOP-42] well-formed text is unchanged", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => scrubSurrogates(text) === text));
  });

  test("[10:LOOP-42] every nested string and key is scrubbed, and clean parts keep their identity", () => {
    const clean = { list: ["a", { b: "\ud83d\ude00" }] };
    expect(scrubDeep(clean)).toBe(clean);
    const dirty = { clean, bad: [{ "k\ud800": "v\udfff" }] };
    const scrubbed = scrubDeep(dirty);
    expect(scrubbed).toEqual({ clean, bad: [{ "k\ufffd": "v\ufffd" }] });
    expect(scrubbed.clean).toBe(clean);
  });

  test("objects of classes pass untouched", () => {
    const secret = new Secret("x\ud800");
    const value = { secret, at: new Date(0), bytes: Buffer.from("a") };
    expect(scrubDeep(value)).toBe(value);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callGrammar, integersBetween, valueGrammar } from "./grammar.ts";

/** The rule of that name, as it is written. */
function rule(grammar: string, name = "root"): string {
  return (
    grammar
      .split("\n")
      .find((line) => line.startsWith(`${name} ::= `))
      ?.slice(name.length + 5) ?? ""
  );
}

describe("grammars of tool calls", () => {
  const shape = { beforeArguments: '", "arguments": ', afterArguments: "}" };

  it("lets the model choose among the offered tools and no others", () => {
    const grammar = callGrammar(
      [
        {
          name: "read_file",
          parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
        },
        { name: "now", parameters: {} },
      ],
      shape,
    );
    expect(rule(grammar)).toBe(
      String.raw`( "read_file" "\", \"arguments\": " r0 | "now" "\", \"arguments\": " r1 ) "}"`,
    );
    expect(rule(grammar, "r0")).toBe(String.raw`"{" "\"path\": " string "}"`);
    expect(rule(grammar, "r1")).toBe(`"{}"`);
  });

  it("writes required members always and the others or not", () => {
    const grammar = valueGrammar({
      type: "object",
      properties: { a: { type: "boolean" }, b: { type: "null" }, c: { enum: ["x", 2] } },
      required: ["b"],
    });
    expect(rule(grammar, "r0")).toBe(
      String.raw`"{" "\"b\": " null ( ", " "\"a\": " boolean )? ( ", " "\"c\": " r1 )? "}"`,
    );
    expect(rule(grammar, "r1")).toBe(String.raw`"\"x\"" | "2"`);
  });

  it("follows references, also to itself", () => {
    const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } }, required: [] };
    const grammar = valueGrammar({ $ref: "#/$defs/node", $defs: { node } });
    expect(rule(grammar)).toBe("r0");
    expect(rule(grammar, "r1")).toContain("r0");
  });

  it("bounds lists and short texts", () => {
    expect(rule(valueGrammar({ type: "array", items: { type: "integer" }, minItems: 2, maxItems: 3 }), "r0")).toBe(
      `"[" integer ( ", " integer ){1,2} "]"`,
    );
    expect(rule(valueGrammar({ type: "string", maxLength: 5 }), "r0")).toBe(String.raw`"\"" char{0,5} "\""`);
  });

  it("accepts exactly the integers of a range", () => {
    const bound = fc.integer({ min: -1500, max: 1500 });
    fc.assert(
      fc.property(bound, bound, bound, (one, other, tried) => {
        const [least, most] = one < other ? [one, other] : [other, one];
        const accepts = asRegExp(integersBetween(least, most)).test(String(tried));
        expect(accepts, `${tried} in ${least}..${most}`).toBe(tried >= least && tried <= most);
      }),
    );
  });
});

/** The subset of the notation that ranges are written in, as a regular expression. */
function asRegExp(body: string): RegExp {
  return new RegExp(`^(?:${body.replaceAll('"', "").replaceAll(" ", "").replaceAll("(", "(?:")})$`);
}

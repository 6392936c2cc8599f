/**
 * Grammars for constrained decoding (GBNF, the notation of llama.cpp), made from the JSON Schemas of the offered tools.
 * Invariants:
 *
 * 1. Whatever the grammar accepts is JSON, and valid by the schema as far as the keywords below go: `type`, `properties`,
 *    `required`, `additionalProperties`, `items`, `minItems`, `maxItems`, `enum`, `const`, `anyOf`, `oneOf`, `allOf`, `$ref`,
 *    `minLength`, `maxLength`, `minimum`, `maximum` of integers. Other keywords (`pattern`, `format`) do not narrow it.
 * 2. Spaces are those of `toJsonText`-like templates: one after a comma and after a colon, so that a call reads the same when
 *    it comes back in the next prompt.
 */
export interface CallTool {
  readonly name: string;
  readonly parameters: Schema;
}

type Schema = Readonly<Record<string, unknown>>;

export interface CallShape {
  /** Between the name and the arguments, beginning with the quotation mark that ends the name. */
  readonly beforeArguments: string;
  readonly afterArguments: string;
}

/** One call of one of the tools: the rest of the text after the quotation mark that begins the name. */
export function callGrammar(tools: readonly CallTool[], shape: CallShape): string {
  const rules = new Rules();
  const calls = tools.map(({ name, parameters }) => {
    const schema = objectSchema(parameters);
    const value = new SchemaRules(rules, schema).rule(schema);
    return `${literal(JSON.stringify(name).slice(1, -1))} ${literal(shape.beforeArguments)} ${value}`;
  });
  return rules.text(`( ${calls.join(" | ")} ) ${literal(shape.afterArguments)}`);
}

/** Any value of a schema, for answers that were asked for as JSON. */
export function valueGrammar(schema: Schema): string {
  const rules = new Rules();
  return rules.text(new SchemaRules(rules, schema).rule(schema));
}

/** A tool without parameters has no schema to speak of; its arguments are an object all the same. */
function objectSchema(schema: Schema): Schema {
  return schema["type"] === undefined && schema["properties"] === undefined && schema["anyOf"] === undefined
    ? { type: "object", properties: {}, additionalProperties: false }
    : schema;
}

const base: Readonly<Record<string, string>> = {
  char: String.raw`[^"\\\x00-\x1F\x7F] | "\\" ( ["\\/bfnrt] | "u" ( [0-9a-cA-CeEfF] hex hex hex | [dD] [0-7] hex hex ) )`,
  hex: "[0-9a-fA-F]",
  string: String.raw`"\"" char* "\""`,
  integer: `"-"? ( "0" | [1-9] [0-9]{0,14} )`,
  number: `"-"? ( "0" | [1-9] [0-9]{0,14} ) ( "." [0-9]{1,9} )?`,
  boolean: `"true" | "false"`,
  null: `"null"`,
  value: "string | number | boolean | null | object | array",
  object: `"{" ( string ": " value ( ", " string ": " value )* )? "}"`,
  array: `"[" ( value ( ", " value )* )? "]"`,
};

/** The rules written so far. The common ones are there from the start; those of schemas get numbers. */
class Rules {
  readonly #bodies: string[] = [];

  /** Holds a number for a rule that may need itself. */
  reserve(): number {
    return this.#bodies.push("") - 1;
  }

  define(index: number, body: string): string {
    this.#bodies[index] = body;
    return `r${index}`;
  }

  text(root: string): string {
    const own = this.#bodies.map((body, index) => `r${index} ::= ${body}`);
    return [`root ::= ${root}`, ...own, ...Object.entries(base).map(([name, body]) => `${name} ::= ${body}`)].join(
      "\n",
    );
  }
}

/** The rules for one schema and whatever it refers to. */
class SchemaRules {
  readonly #rules: Rules;
  readonly #root: Schema;
  readonly #references = new Map<string, string>();

  constructor(rules: Rules, root: Schema) {
    this.#rules = rules;
    this.#root = root;
  }

  /** The name of a rule for values of this schema. */
  rule(schema: Schema): string {
    const reference = schema["$ref"];
    if (typeof reference === "string") return this.#referred(reference);
    const { const: only, enum: choices, anyOf, oneOf, allOf } = schema;
    if (only !== undefined) return this.#add(json(only));
    if (Array.isArray(choices) && choices.length > 0) return this.#add(choices.map(json).join(" | "));
    const either = recordsIn(anyOf) ?? recordsIn(oneOf);
    if (either !== undefined) {
      const { anyOf: _any, oneOf: _one, ...rest } = schema;
      return this.#add(either.map((option) => this.rule(merge(rest, option))).join(" | "));
    }
    const all = recordsIn(allOf);
    if (all !== undefined) {
      const { allOf: _all, ...rest } = schema;
      return this.rule(all.reduce((joined, part) => merge(joined, this.#resolved(part)), rest));
    }
    const types = typesOf(schema);
    return types.length === 1
      ? this.#typed(types[0] ?? "", schema)
      : this.#add(types.map((type) => this.#typed(type, schema)).join(" | "));
  }

  #typed(type: string, schema: Schema): string {
    switch (type) {
      case "object":
        return this.#object(schema);
      case "array":
        return this.#array(schema);
      case "string":
        return this.#string(schema);
      case "integer":
        return this.#integer(schema);
      case "number":
        return isNumber(schema["minimum"]) || isNumber(schema["maximum"]) ? this.#integer(schema) : "number";
      case "boolean":
      case "null":
        return type;
      default:
        return "value";
    }
  }

  #object(schema: Schema): string {
    const properties = isRecord(schema["properties"]) ? Object.entries(schema["properties"]) : [];
    const further = schema["additionalProperties"];
    if (properties.length === 0) {
      if (further === false) return this.#add(`"{}"`);
      if (!isRecord(further)) return schema["properties"] === undefined ? "object" : this.#add(`"{}"`);
      const value = this.rule(further);
      return this.#add(`"{" ( string ": " ${value} ( ", " string ": " ${value} )* )? "}"`);
    }
    const index = this.#rules.reserve();
    const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
    const pair = ([name, value]: [string, unknown]): string =>
      `${literal(`${JSON.stringify(name)}: `)} ${this.rule(isRecord(value) ? value : {})}`;
    const always = properties.filter(([name]) => required.has(name)).map(pair);
    const sometimes = properties.filter(([name]) => !required.has(name)).map(pair);
    return this.#rules.define(index, `"{" ${members(always, sometimes)} "}"`);
  }

  #array(schema: Schema): string {
    const index = this.#rules.reserve();
    const item = isRecord(schema["items"]) ? this.rule(schema["items"]) : "value";
    const least = wholeOr(schema["minItems"], 0);
    const most = isNumber(schema["maxItems"]) ? Math.max(least, Math.floor(schema["maxItems"])) : undefined;
    if (most === 0) return this.#rules.define(index, `"[]"`);
    const more = `( ", " ${item} ){${Math.max(least - 1, 0)},${most === undefined ? "" : most - 1}}`;
    return this.#rules.define(index, least === 0 ? `"[" ( ${item} ${more} )? "]"` : `"[" ${item} ${more} "]"`);
  }

  #string(schema: Schema): string {
    const least = wholeOr(schema["minLength"], 0);
    const most = isNumber(schema["maxLength"]) ? Math.floor(schema["maxLength"]) : undefined;
    // Long bounds are left to the tool: counting thousands of characters slows every token.
    const counted =
      most !== undefined && most <= 256 ? `{${least},${most}}` : least > 0 && least <= 256 ? `{${least},}` : "*";
    return counted === "*" ? "string" : this.#add(String.raw`"\"" char${counted} "\""`);
  }

  #integer(schema: Schema): string {
    const { minimum, maximum } = schema;
    if (!isNumber(minimum) && !isNumber(maximum)) return "integer";
    const least = isNumber(minimum) ? Math.ceil(minimum) : -999_999_999_999;
    const most = isNumber(maximum) ? Math.floor(maximum) : 999_999_999_999;
    return this.#add(integersBetween(least, Math.max(least, most)));
  }

  #referred(reference: string): string {
    const known = this.#references.get(reference);
    if (known !== undefined) return known;
    const index = this.#rules.reserve();
    this.#references.set(reference, `r${index}`);
    return this.#rules.define(index, this.rule(this.#resolved({ $ref: reference })));
  }

  #resolved(schema: Schema): Schema {
    const reference = schema["$ref"];
    if (typeof reference !== "string") return schema;
    const names = reference
      .replace(/^#\/?/, "")
      .split("/")
      .filter((name) => name !== "");
    let found: unknown = this.#root;
    for (const name of names) found = isRecord(found) ? found[name.replace(/~1/g, "/").replace(/~0/g, "~")] : undefined;
    return isRecord(found) ? found : {};
  }

  #add(body: string): string {
    return this.#rules.define(this.#rules.reserve(), body);
  }
}

/** Required members always, in their order; after them any of the others, in theirs. */
function members(always: readonly string[], sometimes: readonly string[]): string {
  const rest = sometimes.map((pair) => `( ", " ${pair} )?`);
  if (always.length > 0) return [always.join(` ", " `), ...rest].join(" ");
  const firsts = sometimes.map((pair, index) => [pair, ...rest.slice(index + 1)].join(" "));
  return `( ${firsts.join(" | ")} )?`;
}

/** A regular form of the integers from `least` to `most`, without leading zeros. */
export function integersBetween(least: number, most: number): string {
  const parts: string[] = [];
  if (least < 0) parts.push(`"-" ( ${naturals(Math.max(1, -most), -least).join(" | ")} )`);
  if (most >= 0) parts.push(...naturals(Math.max(0, least), most));
  return parts.join(" | ");
}

/** Alternatives for `from` to `to`, both not negative: one length of digits after the other. */
function naturals(from: number, to: number): string[] {
  const parts: string[] = [];
  for (let digits = String(from).length; digits <= String(to).length; digits += 1) {
    const low = digits === String(from).length ? String(from) : `1${"0".repeat(digits - 1)}`;
    const high = digits === String(to).length ? String(to) : "9".repeat(digits);
    parts.push(sameLength(low, high));
  }
  return parts;
}

function sameLength(low: string, high: string): string {
  if (low === high) return literal(low);
  const [first = "", last = ""] = [low[0], high[0]];
  const rest = low.length - 1;
  if (rest === 0) return `[${first}-${last}]`;
  const any = `[0-9]{${rest}}`;
  const isFull = /^0*$/.test(low.slice(1)) && /^9*$/.test(high.slice(1));
  if (isFull) return `[${first}-${last}] ${any}`;
  if (first === last) return `${literal(first)} ( ${sameLength(low.slice(1), high.slice(1))} )`;
  const between = Number(last) - Number(first) > 1 ? [`[${Number(first) + 1}-${Number(last) - 1}] ${any}`] : [];
  return [
    `${literal(first)} ( ${sameLength(low.slice(1), "9".repeat(rest))} )`,
    ...between,
    `${literal(last)} ( ${sameLength("0".repeat(rest), high.slice(1))} )`,
  ].join(" | ");
}

function typesOf(schema: Schema): readonly string[] {
  const { type } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type) && type.length > 0) return type.map(String);
  if (schema["properties"] !== undefined) return ["object"];
  return schema["items"] === undefined ? ["any"] : ["array"];
}

/** Both hold: members are joined, everything else the second says counts. */
function merge(first: Schema, second: Schema): Schema {
  const properties = { ...recordOr(first["properties"]), ...recordOr(second["properties"]) };
  const required = [...listOr(first["required"]), ...listOr(second["required"])];
  return {
    ...first,
    ...second,
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  };
}

const recordOr = (value: unknown): Schema => (isRecord(value) ? value : {});
const listOr = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function recordsIn(value: unknown): readonly Schema[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value.map(recordOr) : undefined;
}

function isRecord(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function wholeOr(value: unknown, otherwise: number): number {
  return isNumber(value) && value > 0 ? Math.floor(value) : otherwise;
}

/** A value that can only be this one, spaced like the rest. */
function json(value: unknown): string {
  return literal(spaced(value));
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  return `{${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)}: ${spaced(one)}`)
    .join(", ")}}`;
}

/** Text as a terminal of the notation. */
function literal(text: string): string {
  const escaped = text.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\n").replace(/\r/g, "\\r").replace(/\t/g, "\\t");
  return `"${escaped}"`;
}

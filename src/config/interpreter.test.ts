import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Secret } from "#foundation/secrets/secret";
import { complete } from "./complete.ts";
import { configSchema } from "./describe/json-schema.ts";
import { readTree, readValue } from "./interpreter.ts";
import { configRoot } from "./sections/root.ts";
import {
  amount,
  anyList,
  anyText,
  choice,
  either,
  flag,
  group,
  mapOf,
  type Node,
  required,
  secret,
  section,
  text,
  texts,
  whole,
} from "./sections/setting.ts";

/** Values on both sides of every border a key can have. */
const probes: readonly unknown[] = [
  ...["", "a", "off", "5", true, false, 0, 1, -1, 3, 1.5, 101, 70_000, 2 ** 53, Number.POSITIVE_INFINITY],
  ...[[], ["a"], [1], [{}], [[]], {}, { a: "b" }, { a: 1 }, { a: {} }, { a: ["b"] }, { a: { b: 1 } }],
];

type JsonSchema = Readonly<Record<string, unknown>>;

/** Every node of the sections with its JSON Schema; of those that are alike only one. */
function nodesWithSchemas(): ReadonlyMap<string, readonly [node: Node, schema: JsonSchema]> {
  const found = new Map<string, readonly [Node, JsonSchema]>();
  const visit = (node: Node, schema: JsonSchema): void => {
    const said = new Set(["description", "category", "reload", "noEffect", "default", "secret"]);
    const plain = JSON.stringify(schema, (key, value: unknown) => (said.has(key) ? undefined : value));
    found.set(plain, [node, schema]);
    const inner = (child: Node, at: unknown) => visit(child, at as JsonSchema);
    if (node.kind === "group") {
      const properties = schema["properties"] as Record<string, unknown>;
      for (const [key, field] of Object.entries(node.fields)) inner(field, properties[key]);
    }
    if (node.kind === "map") inner(node.value, schema["additionalProperties"]);
    if (node.kind === "list") inner(node.item, schema["items"]);
    const options = schema["anyOf"] as readonly unknown[] | undefined;
    if (node.kind === "either") for (const [index, option] of node.options.entries()) inner(option, options?.[index]);
  };
  visit(configRoot, JSON.parse(JSON.stringify(configSchema())) as JsonSchema);
  return found;
}

const around = (node: Node) => group({ key: { ...node, optional: true } });

const probesOf = (node: Node): readonly unknown[] => [...probes, ...(node.kind === "choice" ? node.choices : [])];

test("[20:R7.12] for every kind of key and value: what is taken as it is, is what the JSON Schema allows", () => {
  const counted = { taken: 0, refused: 0 };
  for (const [plain, [node, schema]] of nodesWithSchemas()) {
    const allowed = z.fromJSONSchema(schema);
    for (const value of probesOf(node)) {
      const { unknown, bad, tree } = readTree({ key: value }, around(node));
      const isTaken = bad.length === 0 && (unknown.length > 0 || isDeepStrictEqual(tree, { key: value }));
      if (isTaken !== allowed.safeParse(value).success) {
        throw new Error(
          `${JSON.stringify(value)} is ${isTaken ? "taken, but not" : "not taken, but"} allowed: ${plain}`,
        );
      }
      counted[isTaken ? "taken" : "refused"] += 1;
    }
  }
  expect(counted.taken).toBeGreaterThan(800);
  expect(counted.refused).toBeGreaterThan(2500);
});

test("[20:R7.8] for every kind of key and value: what was read is read again as it is", () => {
  for (const [plain, [node]] of nodesWithSchemas()) {
    for (const value of probesOf(node)) {
      const { tree } = readTree({ key: value }, around(node));
      const again = readTree(tree, around(node));
      if (again.bad.length > 0 || !isDeepStrictEqual(again.tree, tree)) {
        throw new Error(
          `${JSON.stringify(value)} became ${JSON.stringify(tree)}, which is not read as it is: ${plain}`,
        );
      }
    }
  }
});

describe("reading", () => {
  test.each<[string, unknown, Node, unknown]>([
    ["a word for a flag", "off", flag(true, ""), false],
    ["a digit for a flag", 1, flag(false, ""), true],
    ["digits for a number", " 120 ", whole(1, ""), 120],
    ["a number for text", 5, text("", ""), "5"],
    ["a flag for a choice", false, choice(["on", "off"], "on", ""), "off"],
    ["another case for a choice", "FAST", choice(["fast"], "fast", ""), "fast"],
    ["names for a list", "a, b", texts([], ""), ["a", "b"]],
    ["a sentence for a list", "one, two words", texts([], ""), ["one, two words"]],
    ["JSON for a list", '["a b"]', texts([], ""), ["a b"]],
    ["one number for a list", 7, texts([], ""), ["7"]],
    ["nothing in a list", ["a", null], texts([], ""), ["a"]],
    ["an entry without a body", { a: null }, mapOf(group({ b: text("", "") }), ""), { a: {} }],
    ["the first type that takes it", "true", either(flag(false, ""), anyList(anyText)), true],
    ["the type that takes it as it is", "true", either(anyText, flag(false, "")), "true"],
    ["a number beyond its bounds", 9, whole(1, "", { max: 3, clamp: true }), 3],
  ])("%s", (_name, value, node, expected) => {
    expect(readValue(value, node)).toEqual({ value: expected, isGood: true });
  });

  test.each<[string, unknown, Node]>([
    ["a part of a whole number", 1.5, whole(1, "")],
    ["a number below zero", -1, amount(1, "")],
    ["a number that is not finite", "1e999", amount(1, "")],
    ["a word that is no choice", "slow", choice(["fast"], "fast", "")],
    ["a list for text", ["a"], text("", "")],
    ["a word for a group", "a", section("", {})],
    ["nothing", null, text("", "")],
  ])("%s is refused", (_name, value, node) => {
    expect(readValue(value, node)).toEqual({ value: undefined, isGood: false });
  });

  test("[20:R7.9] one bad value costs only itself, and is said with its place", () => {
    const root = group({ list: mapOf(anyList(group({ name: required(anyText, ""), size: whole(1, "") })), "") });
    const { tree, bad, unknown } = readTree(
      { list: { a: [{ name: "x", size: "big" }, { size: 2 }, { name: "y", odd: 1 }] } },
      root,
    );
    expect(tree).toEqual({ list: { a: [{ name: "x" }, { name: "y" }] } });
    expect(bad.map(({ path, lacks }) => [path.join("."), lacks])).toEqual([
      ["list.a.0.size", undefined],
      ["list.a.1", "name"],
    ]);
    expect(unknown.map(({ path }) => path.join("."))).toEqual(["list.a.2.odd"]);
  });

  test("names that mean something to JavaScript are names like others, or nothing", () => {
    const tree = JSON.parse('{"__proto__": {"agent": 1}, "lint": {"__proto__": "x", "constructor": "y"}}') as Record<
      string,
      unknown
    >;
    const read = readTree(tree, configRoot);
    expect(read.tree).toEqual({ lint: { constructor: "y" } });
    expect(Object.getPrototypeOf(read.tree.lint)).toBe(Object.prototype);
  });
});

describe("completing", () => {
  const root = group({
    own: section("", { key: secret(""), names: texts(["a"], "") }),
    free: mapOf({ kind: "anything" } as const, ""),
  });

  test("credentials are wrapped, by their key or by their name", () => {
    const value = complete({ own: { key: "k" }, free: { api_key: "s", deep: [{ bot_token: "t" }], plain: "p" } }, root);
    expect(value).toEqual({
      own: { key: new Secret("k"), names: ["a"] },
      free: { api_key: new Secret("s"), deep: [{ bot_token: new Secret("t") }], plain: "p" },
    });
    expect(JSON.stringify(value)).not.toMatch(/"[kst]"/);
  });

  test("every load has values of its own", () => {
    const [first, second] = [complete({}, configRoot), complete({}, configRoot)] as {
      provider_routing: { only: unknown };
    }[];
    expect(first).toEqual(second);
    expect(first?.provider_routing).not.toBe(second?.provider_routing);
    expect(first?.provider_routing.only).not.toBe(second?.provider_routing.only);
  });
});

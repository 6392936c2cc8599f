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

/** A section for each place in it and each value to put there. */
function* sectionsWith(node: Node, around: (value: unknown) => unknown): Generator<unknown> {
  for (const probe of [...probes, ...(node.kind === "choice" ? node.choices : [])]) yield around(probe);
  if (node.kind === "group") {
    for (const [key, field] of Object.entries(node.fields))
      yield* sectionsWith(field, (value) => around({ [key]: value }));
  }
  if (node.kind === "map") yield* sectionsWith(node.value, (value) => around({ name: value }));
  if (node.kind === "list") yield* sectionsWith(node.item, (value) => around([value]));
  if (node.kind === "either") for (const option of node.options) yield* sectionsWith(option, around);
}

test("[20:R7.12] for every key and kind of value: what is taken as it is, is what the JSON Schema allows", () => {
  const schema = JSON.parse(JSON.stringify(configSchema())) as { properties: Record<string, Record<string, unknown>> };
  const counted = { taken: 0, refused: 0 };
  for (const [key, node] of Object.entries(configRoot.fields)) {
    const allowed = z.fromJSONSchema(schema.properties[key] ?? {});
    for (const value of sectionsWith(node, (probe) => probe)) {
      const read = readTree({ [key]: value }, configRoot);
      const isSame = read.unknown.length > 0 || isDeepStrictEqual(read.tree, { [key]: value });
      const isTaken = isSame && read.bad.length === 0;
      if (isTaken !== allowed.safeParse(value).success) {
        throw new Error(
          `${key}: ${JSON.stringify(value)} is ${isTaken ? "taken, but not allowed" : "allowed, but not taken"}`,
        );
      }
      counted[isTaken ? "taken" : "refused"] += 1;
    }
  }
  expect(counted.taken).toBeGreaterThan(5000);
  expect(counted.refused).toBeGreaterThan(15_000);
});

test("[20:R7.8] for every key and kind of value: what was read is read again as it is", () => {
  for (const [key, node] of Object.entries(configRoot.fields)) {
    for (const value of sectionsWith(node, (probe) => probe)) {
      const { tree } = readTree({ [key]: value }, configRoot);
      const again = readTree(tree, configRoot);
      if (again.bad.length > 0 || !isDeepStrictEqual(again.tree, tree)) {
        throw new Error(`${key}: ${JSON.stringify(value)} became ${JSON.stringify(tree)}, which is not read as it is`);
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

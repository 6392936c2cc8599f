import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assembleConfig } from "../assemble.ts";
import { configSchema } from "../schema.ts";
import { settle } from "../settle.ts";
import { exactly } from "../settle-both-ways.ts";
import { type Shape, shapeOf } from "../shape.ts";
import { TempHome } from "../temp-home.ts";
import { mergeTrees, type Tree } from "../tree.ts";
import { defaultSettings, plainSettings, plainValue } from "./plain-settings.ts";
import { nodeAt, rootRef } from "./table.ts";
import { tableShape } from "./table-shape.ts";

const shape = shapeOf(configSchema);

/** A shape as data, without what is only said to people. */
function factsIn(node: Shape): unknown {
  const said = { description: "", category: "", noEffect: "" };
  const { description: _text, category: _heading, noEffect: _mark, ...facts } = { ...said, ...node.facts };
  switch (node.kind) {
    case "object":
      return { kind: node.kind, facts, fields: [...node.fields].map(([key, field]) => [key, factsIn(field)]) };
    case "map":
      return { kind: node.kind, facts, value: factsIn(node.value) };
    case "list":
      return { kind: node.kind, facts, item: factsIn(node.item) };
    case "union":
      return { kind: node.kind, facts, options: node.options.map(factsIn) };
    default:
      return { ...node, facts };
  }
}

test("[20:R7.12] the table has the shape of the schema", () => {
  expect(factsIn(tableShape())).toEqual(factsIn(shape));
});

test("[20:R7.12] the defaults of the table are those of the schema", () => {
  expect(exactly(defaultSettings())).toBe(exactly(configSchema.parse({})));
});

test("every load has values of its own", () => {
  expect(defaultSettings().agent).not.toBe(defaultSettings().agent);
  expect(defaultSettings().provider_routing.only).not.toBe(defaultSettings().provider_routing.only);
});

/** Values on both sides of every border a key can have. */
const probes: readonly unknown[] = [
  ...["", "a", "off", "5", null, undefined, true, false, 0, -0, 1, -1, 3, 1.5, 101, 70_000, 2 ** 53, Number.NaN],
  ...[Number.POSITIVE_INFINITY, [], ["a"], [1], [{}], [null], [undefined], {}, { a: "b" }, { a: 1 }, { a: null }],
  ...[{ a: {} }, { a: ["b"] }, { api_key: "k", deep: { token: "t" } }, [{ api_key: "k" }], { a: { b: 1 } }],
  ...[JSON.parse('{"__proto__": {"a": 1}}'), { constructor: "a" }, { constructor: {} }, new Date(0), 5n],
];

/** A section for each place in it and each value to put there. */
function* sectionsWith(node: Shape, around: (value: unknown) => unknown): Generator<unknown> {
  const choices = node.kind === "choice" ? node.choices : [];
  for (const probe of [...probes, ...choices]) yield around(probe);
  if (node.kind === "object") {
    for (const [key, field] of node.fields) yield* sectionsWith(field, (value) => around({ [key]: value }));
    yield around({ no_such_key: 1 });
  }
  if (node.kind === "map") yield* sectionsWith(node.value, (value) => around({ name: value }));
  if (node.kind === "list") yield* sectionsWith(node.item, (value) => around([value]));
  if (node.kind === "union") for (const option of node.options) yield* sectionsWith(option, around);
}

test("[20:R7.8] a value that is plainly good for a key is what the schema makes of it, for every key and kind of value", () => {
  const counted = { plain: 0, refused: 0, needless: 0 };
  const root = nodeAt(rootRef);
  if (root.kind !== "object" || shape.kind !== "object") throw new Error("the configuration is a group of keys");
  for (const [key, field] of shape.fields) {
    const schema = configSchema.shape[key as keyof typeof configSchema.shape];
    for (const section of sectionsWith(field, (value) => value)) {
      const plain = plainValue(root.fields[key] ?? -1, section);
      const full = schema.safeParse(section, { jitless: true });
      if (plain === undefined) counted[full.success ? "needless" : "refused"] += 1;
      else if (full.success && exactly(plain.value) === exactly(full.data)) counted.plain += 1;
      else throw new Error(`${key}: ${exactly(section)} became ${exactly(plain.value)}`);
    }
  }
  expect(counted.plain).toBeGreaterThan(5000);
  expect(counted.refused).toBeGreaterThan(20_000);
  // What the schema takes and the table leaves to it: keys without a value, odd names, keys that are not settings.
  expect(counted.needless).toBeLessThan(counted.plain);
});

/** Mostly what belongs there, now and then something else. */
function valueFor(node: Shape): fc.Arbitrary<unknown> {
  const wrong = fc.constantFrom(...probes);
  return fc.oneof({ weight: 60, arbitrary: rightFor(node) }, { weight: 1, arbitrary: wrong });
}

function rightFor(node: Shape): fc.Arbitrary<unknown> {
  switch (node.kind) {
    case "object": {
      const keys = [...node.fields.keys()];
      return fc
        .subarray(keys, { maxLength: Math.min(keys.length, 4) })
        .chain((chosen) => fc.record(Object.fromEntries(chosen.map((key) => [key, valueAt(node, key)]))));
    }
    case "map":
      return fc
        .dictionary(fc.constantFrom("a", "b", "api_key", "7", "constructor"), fc.constant(0), { maxKeys: 2 })
        .chain((names) =>
          fc.record(Object.fromEntries(Object.keys(names).map((name) => [name, valueFor(node.value)]))),
        );
    case "list":
      return fc.array(valueFor(node.item), { maxLength: 2 });
    case "union":
      return fc.oneof(...node.options.map(valueFor));
    case "choice":
      return fc.constantFrom(...node.choices);
    case "anything":
      return fc.jsonValue({ maxDepth: 2 });
    case "scalar":
      return { text: fc.string({ maxLength: 5 }), flag: fc.boolean(), number: fc.integer({ min: 0, max: 30 }) }[
        node.type
      ];
  }
}

const valueAt = (node: Shape & { readonly kind: "object" }, key: string): fc.Arbitrary<unknown> => {
  const field = node.fields.get(key);
  return field === undefined ? fc.constant(undefined) : valueFor(field);
};

test("[20:R7.8] whole trees, good and bad, come out the same with and without the schema", () => {
  const counted = { plain: 0, refused: 0 };
  fc.assert(
    fc.property(rightFor(shape), (tree) => {
      const plain = plainSettings(tree as Tree);
      const full = configSchema.safeParse(tree, { jitless: true });
      if (!full.success) counted.refused += 1;
      if (plain === undefined) return;
      counted.plain += 1;
      expect(full.success).toBe(true);
      expect(exactly(plain)).toBe(exactly(full.data));
    }),
    { numRuns: 150 },
  );
  expect(counted.plain).toBeGreaterThan(30);
  expect(counted.refused).toBeGreaterThan(0);
});

describe("an ordinary home", () => {
  const files = {
    ".env":
      "OPENROUTER_API_KEY=sk-or-v1-0123456789\nTELEGRAM_BOT_TOKEN=123:abc\nTELEGRAM_ALLOWED_USERS=1,2\nEXA_API_KEY=x1\n",
    "config.yaml": `# my settings
_config_version: 22
model:
  default: some/model-4.5
  provider: openrouter
fallback_providers:
  - provider: openrouter
    model: other/model
agent: {max_turns: 60}
terminal:
  backend: local
  timeout: 180
compression:
  threshold: 0.5   # half
mcp_servers:
  files:
    command: npx
    args: ["-y", "server", "/tmp"]
    env:
      TOKEN: "\${EXA_API_KEY}"
platforms:
  telegram:
    enabled: true
quick_commands:
  disk:
    type: exec
    command: df -h
  hi: say hello
`,
  };

  test.each([
    ["with a file", files],
    ["without a file", {}],
  ])("[20:R7.8] %s needs no schema", async (_name, home) => {
    using temp = new TempHome(home);
    const trees: Tree[] = [];
    const loaded = await assembleConfig({ home: temp.home, env: temp.env }, (layers, own) => {
      trees.push(mergeTrees(...layers.map((layer) => layer.tree)));
      return settle(layers, own);
    });
    expect(loaded.warnings).toEqual([]);
    expect(trees.map((tree) => plainSettings(tree) !== undefined)).toEqual([true]);
    expect(exactly((await temp.load()).config)).toBe(exactly(loaded.config));
  });
});

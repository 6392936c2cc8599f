import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { UserError } from "#foundation/errors";
import { parseSettingsFile } from "../load/document.ts";
import { type Tree, valueAt } from "../tree.ts";
import { applyChanges } from "./yaml-edit.ts";
import type { SettingChange } from "./yaml-splice.ts";

const set = (key: string, value: unknown): SettingChange => ({ kind: "set", path: key.split("."), value });
const unset = (key: string): SettingChange => ({ kind: "unset", path: key.split(".") });
const edit = (text: string, ...changes: SettingChange[]) => applyChanges(text, changes);

const file = `# My settings
model:
  default: "gpt-5"   # the good one
  # which shop
  provider: 'openrouter'

# limits
agent:
    max_turns:   60      # spaced
    verbose: no

list:
- a
- b  # second
flow: {a: 1, b: [x, y]} # inline
api_key: \${MY_KEY}
long: >
  folded
  text
empty:
toolsets: [hermes-cli]
# the end
`;

/** The lines that differ, as `-old` and `+new`. */
function diff(before: string, after: string): string[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const removed = old.slice(start, old.length - end).map((line) => `-${line}`);
  return [...removed, ...now.slice(start, now.length - end).map((line) => `+${line}`)];
}

describe("[20:R7.6] only the changed key's own text changes", () => {
  test.each<[string, SettingChange, string[]]>([
    [
      "a quoted value",
      set("model.default", "o3"),
      ['-  default: "gpt-5"   # the good one', "+  default: o3   # the good one"],
    ],
    [
      "a spaced value",
      set("agent.max_turns", 90),
      ["-    max_turns:   60      # spaced", "+    max_turns:   90      # spaced"],
    ],
    ["a flag", set("agent.verbose", true), ["-    verbose: no", "+    verbose: true"]],
    ["an empty value", set("empty", "x"), ["-empty:", "+empty: x"]],
    ["below an empty value", set("empty.a.b", 1), ["+  a:", "+    b: 1"]],
    ["a new key in a section", set("model.max_tokens", 5), ["+  max_tokens: 5"]],
    ["a new key in a wide section", set("agent.extra.depth", 5), ["+    extra:", "+      depth: 5"]],
    ["a new section", set("display.streaming", false), ["+display:", "+  streaming: false"]],
    [
      "a value in a flow map",
      set("flow.a", 2),
      ["-flow: {a: 1, b: [x, y]} # inline", "+flow: {a: 2, b: [x, y]} # inline"],
    ],
    [
      "a new key in a flow map",
      set("flow.c", "hi you"),
      ["-flow: {a: 1, b: [x, y]} # inline", '+flow: {a: 1, b: [x, y], c: "hi you"} # inline'],
    ],
    ["an item appended to a list", set("list", ["a", "b", "c"]), ["+- c"]],
    ["a shortened list", set("list", ["a"]), ["-- a", "-- b  # second", "+  - a"]],
    ["a flow list", set("toolsets", ["a", "b c"]), ["-toolsets: [hermes-cli]", '+toolsets: ["a","b c"]']],
    ["a folded text", set("long", "short"), ["-long: >", "-  folded", "-  text", "+long: short"]],
    ["a text with line breaks", set("agent.verbose", "a\nb"), ["-    verbose: no", '+    verbose: "a\\nb"']],
    ["a word other readers mistake", set("agent.verbose", "off"), ["-    verbose: no", '+    verbose: "off"']],
    ["removing a value", unset("model.default"), ['-  default: "gpt-5"   # the good one']],
    ["removing a section", unset("list"), ["-list:", "-- a", "-- b  # second"]],
    ["removing from a flow map", unset("flow.a"), ["-flow: {a: 1, b: [x, y]} # inline", "+flow: {b: [x, y]} # inline"]],
    ["removing what is not there", unset("agent.nope"), []],
    ["setting what is there", set("agent.max_turns", 60), []],
  ])("%s", (_name, change, expected) => {
    const after = edit(file, change);
    expect(diff(file, after)).toEqual(expected);
  });

  test("[20:A7.3] a reference to a variable survives another change", () => {
    expect(edit(file, set("timezone", "UTC"))).toContain(`api_key: \${MY_KEY}\n`);
  });

  test("line ends, a byte order mark and a missing last line end stay", () => {
    expect(edit("a: 1\r\nb:\r\n  c: 2 # x\r\n", set("b.d", 3))).toBe("a: 1\r\nb:\r\n  c: 2 # x\r\n  d: 3\r\n");
    expect(edit("\uFEFFa: 1\nb: 2\n", set("a", 3))).toBe("\uFEFFa: 3\nb: 2\n");
    expect(edit("a: 1", set("b", 2))).toBe("a: 1\nb: 2");
    expect(edit("a:\n  b: 1", set("a.c", 2))).toBe("a:\n  b: 1\n  c: 2");
  });

  test("an empty file, and one of comments only, get their first key", () => {
    expect(edit("", set("a.b", 1))).toBe("a:\n  b: 1\n");
    expect(edit("# note\n", set("a", "x"))).toBe("# note\na: x\n");
  });

  test("a section that lost its last key can be filled again", () => {
    const emptied = edit("a:\n  b: 1 # why\n  # kept\nc: 2\n", unset("a.b"));
    expect(emptied).toBe("a:\n  # kept\nc: 2\n");
    expect(parseSettingsFile(edit(emptied, set("a.d", 3)))).toMatchObject({ tree: { a: { d: 3 }, c: 2 } });
  });

  test("keys of list items are changed in place", () => {
    const text = "custom_providers:\n  - name: a\n    base_url: http://a/v1 # mine\n  - name: b\n";
    expect(edit(text, set("custom_providers.0.base_url", "http://z/v1"))).toBe(
      text.replace("http://a/v1", "http://z/v1"),
    );
    expect(edit(text, set("custom_providers.1.model", "m"))).toBe(`${text}    model: m\n`);
    expect(edit(text, unset("custom_providers.0"))).toBe("custom_providers:\n  - name: b\n");
  });

  test("[20:R7.5] the short form of model grows into a section", () => {
    expect(edit("# m\nmodel: gpt-5\nx: 1\n", set("model.provider", "openai"))).toBe(
      "# m\nmodel:\n  default: gpt-5\n  provider: openai\nx: 1\n",
    );
  });

  test("[20:R3.14] several keys change together", () => {
    const text = "model:\n  default: a\n  provider: b\n  base_url: c\n";
    expect(edit(text, set("model.default", "x"), set("model.provider", "z"), unset("model.base_url"))).toBe(
      "model:\n  default: x\n  provider: z\n",
    );
  });
});

describe("what is refused", () => {
  test("a key that is written twice", () => {
    expect(() => edit("a: 1\nb: 2\na: 3\n", set("a", 4))).toThrow(/written twice.*line 3/);
  });

  test("keys below a single value", () => {
    expect(() => edit("display: fancy\n", set("display.skin", "x"))).toThrow(UserError);
  });

  test("a value that others refer to", () => {
    expect(() => edit("a: &x 1\nb: *x\n", set("a", 2))).toThrow(/without changing other settings/);
  });
});

describe("any file", () => {
  const key = fc.constantFrom("a", "b", "agent", "max turns", "x.y", "0", "on");
  const scalar = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(`\${V}`),
    fc.constant("off"),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Number.isInteger(n)),
  );
  const tree = fc.dictionary(
    key,
    fc.oneof(
      scalar,
      fc.array(scalar, { minLength: 1, maxLength: 3 }),
      fc.dictionary(key, scalar, { minKeys: 1, maxKeys: 3 }),
    ),
    { maxKeys: 5 },
  );
  const layout = fc.record({ indent: fc.constantFrom(2, 4), comment: fc.boolean(), flow: fc.constantFrom(0, 2) });

  function write(value: Tree, style: { indent: number; comment: boolean; flow: number }): string {
    if (Object.keys(value).length === 0) return style.comment ? "# nothing yet\n" : "";
    const text = stringify(value, {
      indent: style.indent,
      lineWidth: 0,
      blockQuote: false,
      collectionStyle: style.flow === 2 ? "flow" : "any",
    });
    return style.comment && style.flow === 0 ? text.replaceAll("\n", " # note\n") : text;
  }

  test("means the old settings with the change, and other lines stay byte for byte", () => {
    fc.assert(
      fc.property(
        tree,
        layout,
        fc.tuple(key, fc.option(key, { nil: undefined }), scalar),
        (value, style, [first, second, wanted]) => {
          const path = second === undefined ? [first] : [first, second];
          const parent = valueAt(value, [first]);
          fc.pre(
            second === undefined || parent === undefined || (typeof parent === "object" && !Array.isArray(parent)),
          );
          const text = write(value, style);
          const before = parseSettingsFile(text);
          fc.pre(before.kind === "good");
          const after = applyChanges(text, [{ kind: "set", path, value: wanted }]);
          const read = parseSettingsFile(after);
          expect(read.kind === "good" ? valueAt(read.tree, path) : read).toEqual(wanted);
          const isWholeGroup = before.kind === "good" && typeof valueAt(before.tree, path) === "object";
          if (style.flow === 2 || isWholeGroup) return;
          const gone = text.split("\n").filter((line) => !after.split("\n").includes(line));
          expect(gone.length).toBeLessThanOrEqual(1);
          for (const line of gone) expect(line.trimStart().startsWith(keyStart(path.at(-1) ?? ""))).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  const keyStart = (name: string) =>
    stringify({ [name]: 1 })
      .replace(/1\n$/, "")
      .trimEnd();
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { parseSettingsFile, type SettingsDocument } from "./document.ts";
import type { KeyPath } from "./key-path.ts";
import { readPlainYaml } from "./plain-yaml.ts";

/** Every path of a tree, and one beside each that is not there. */
function pathsOf(value: unknown, path: KeyPath = []): KeyPath[] {
  const here = [path, [...path, "nowhere"], [...path, "99"]];
  if (typeof value !== "object" || value === null) return here;
  return [...here, ...Object.entries(value).flatMap(([key, child]) => pathsOf(child, [...path, key]))];
}

/** Fails when the plain reader says anything else than the library. */
function compare(text: string): SettingsDocument | undefined {
  const plain = readPlainYaml(text);
  if (plain === undefined) return undefined;
  const full = parseSettingsFile(text);
  if (full.kind !== "good") throw new Error(`the library refuses what was read plainly: ${full.message}\n${text}`);
  expect(JSON.stringify(plain.tree)).toBe(JSON.stringify(full.tree));
  expect(plain.tree).toStrictEqual(full.tree);
  expect(full.duplicates).toEqual([]);
  for (const path of pathsOf(full.tree)) expect(plain.locate(path), path.join(".")).toEqual(full.locate(path));
  return plain;
}

const ordinary = `# my settings
_config_version: 22

model:
  default: anthropic/claude-sonnet-4.5   # the usual one
  provider: openrouter
  base_url: https://openrouter.ai/api/v1
fallback_providers:
- provider: openrouter
  model: "openai/gpt-5"
  # a comment inside
- provider: 'anthropic'
  model: claude: haiku
`.replace("claude: haiku", "claude-haiku");

describe("an ordinary file", () => {
  test.each([
    [ordinary],
    [""],
    ["# nothing but a comment\n\n"],
    ["a: 1\nb: -2\nc: 0.5\nd: -1.25\ne: 0\n"],
    ["a: true\nb: false\nc: null\nd: ~\ne:\nf: off\n"],
    ["a:\nb:   # later\n  c: x\n"],
    ["list: [a, 'b c', \"d, e\", 5, 0.5, true, null]\nempty: []\nnone: {}\n"],
    ["list:  [ a ,b ]   # spaces\n"],
    ["list:\n  - a\n  - https://x.invalid/y:z\n  - 5\n  - k: v\n    l: w\n  - m: 1\nnext: 1"],
    ["list:\n- a\nnext:\n  deep:\n  - b\n  other: c\n"],
    [`key: \${NAME} and more\ncwd: .\npath: ~/x\nup: ../y\nttl: 5m\ncommand: df -h | sort > /tmp/x # why\n`],
    ['said: "it\'s: fine # really"\nother: \'a "b" # c\'\ngreeting: "Grüße (◕‿◕) 👋"\n'],
    ["a:\n    far: 1\n    in:\n     less: 2\nb: 1\n"],
    ["a: x\n# to the left\nb:\n  c: 1\n# to the left again\n  d: 2\n"],
  ])("[20:R7.8] %j is read without the library, to the same values and places", (text) => {
    expect(compare(text)).toBeDefined();
  });

  test.each([
    ["a: 1\na: 2\n"],
    ["a: |\n  text\n"],
    ["a: &x 1\nb: *x\n"],
    ["a: b\n  c\n"],
    ["a: b\n  c: d\n"],
    ["a: 007\n"],
    ["a: 1e3\n"],
    ["a: 0x1f\n"],
    ["a: True\n"],
    ["a: b: c\n"],
    ["a: [b, c\n"],
    ["a: [b: c]\n"],
    ["a: [b,]\n"],
    ["a: [b,,c]\n"],
    ["a: {b: c}\n"],
    ['a: "x\\n"\n'],
    ["a: 'it''s'\n"],
    ["a:\tb\n"],
    ["a: b\r\n"],
    ["\uFEFFa: b\n"],
    ["---\na: b\n"],
    ["  a: b\n"],
    ["- a\n"],
    ["text\n"],
    ["true: 1\n"],
    ["__proto__: 1\n"],
    ["<<: {a: 1}\n"],
    ["1: a\n"],
    ['"a": b\n'],
    ["a:\n   b: 1\n  c: 2\n"],
    ["a:\n- b\n c: 1\n"],
    ["a:\n  -   b: 1\n"],
    ["a:\n  -\n    b: 1\n"],
    ["a: 12345678901234567890\n"],
    ["a: !!str 5\n"],
    ["a: b #c\n: d\n"],
    ["a: @b\n"],
  ])("[20:R7.8] %j is left to the library", (text) => {
    expect(readPlainYaml(text)).toBeUndefined();
  });
});

const odd = fc.oneof(
  fc.constantFrom(
    ...["off", "yes", "5m", "x: y", "a #b", "#c", "1e3", "007", ".5", "~", "-", "null", "True", "a:", "%", "é", "0"],
  ),
  fc.stringMatching(/^[a-z0-9 :#,[\]{}'"./$-]{0,8}$/),
  fc.string({ maxLength: 6 }),
);
const word = fc.oneof({ weight: 9, arbitrary: fc.stringMatching(/^[a-z][a-z0-9 ./:-]{0,8}[a-z]$/) }, odd);
const key = fc.oneof({ weight: 20, arbitrary: fc.stringMatching(/^[a-z_][a-z0-9_.-]{0,4}$/) }, odd);

const tree = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    word,
    fc.integer(),
    fc.integer({ min: -500, max: 500 }).map((hundredths) => hundredths / 100),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  ),
})).value;

const options = fc.record({
  indent: fc.constantFrom(2, 3, 4),
  indentSeq: fc.boolean(),
  defaultStringType: fc.constantFrom("PLAIN" as const, "QUOTE_DOUBLE" as const, "QUOTE_SINGLE" as const),
  collectionStyle: fc.constantFrom("any" as const, "block" as const, "flow" as const),
});

describe("any file", () => {
  test("[20:R7.8] what is written by the library is read as the library reads it, or left to it", () => {
    let plainly = 0;
    fc.assert(
      fc.property(fc.dictionary(key, tree, { maxKeys: 5 }), options, (value, how) => {
        if (compare(stringify(value, how)) !== undefined) plainly += 1;
      }),
      { numRuns: 800 },
    );
    expect(plainly).toBeGreaterThan(40);
  });

  test("[20:R7.8] so is an ordinary file with some of its characters changed", () => {
    const change = fc.record({
      at: fc.nat(ordinary.length),
      remove: fc.nat(3),
      put: fc.oneof(
        fc.constantFrom(
          "",
          " ",
          "  ",
          "\n",
          "\n  ",
          "- ",
          ": ",
          ":",
          " #",
          "#",
          "[",
          "]",
          "{",
          "}",
          ", ",
          '"',
          "'",
          "&",
          "*",
          "!",
          "|",
          "~",
        ),
        fc.constantFrom(
          "\t",
          "\r",
          "---\n",
          "...\n",
          "1",
          "0.5",
          "true",
          "null",
          "x: y",
          "- a\n",
          "? ",
          "% ",
          "@",
          "é",
          "\u2028",
          "\u0085",
        ),
      ),
    });
    let plainly = 0;
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        const text = changes.reduce(
          (now, { at, remove, put }) => now.slice(0, at) + put + now.slice(at + remove),
          ordinary,
        );
        if (compare(text) !== undefined) plainly += 1;
      }),
      { numRuns: 1000 },
    );
    expect(plainly).toBeGreaterThan(100);
  });

  test("[20:R7.8] so are lines put together by chance", () => {
    const line = fc
      .tuple(
        fc.constantFrom("", "  ", "    ", " "),
        fc.constantFrom("", "- ", "- - ", "-"),
        fc.constantFrom("a:", "b:", "c: ", "d:  ", "", "'e': ", "f/g.h: "),
        fc.constantFrom(
          "",
          "x",
          "5",
          "[a, b]",
          "[]",
          "{}",
          "'q'",
          '"r" # s',
          "t u",
          "# v",
          "w:x",
          "y: z",
          "1.5",
          "-",
          "true",
        ),
      )
      .map((parts) => parts.join(""));
    let plainly = 0;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), (lines) => {
        if (compare(lines.join("\n")) !== undefined) plainly += 1;
      }),
      { numRuns: 1500 },
    );
    expect(plainly).toBeGreaterThan(100);
  });
});

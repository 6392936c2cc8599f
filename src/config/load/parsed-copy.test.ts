import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import type { KeyPath } from "../key-path.ts";
import { TempHome } from "../testing.ts";
import { parseSettingsFile } from "./document.ts";
import { loadConfig } from "./load.ts";
import { readParsedCopy, writeParsedCopy } from "./parsed-copy.ts";

const copyName = "cache/parsed-config.json";

async function keep(temp: TempHome, text: string) {
  const parsed = parseSettingsFile(text);
  if (parsed.kind === "good") await writeParsedCopy(temp.home, parsed);
  return parsed;
}

/** Every path of a tree, and two beside each that are not there. */
function pathsOf(value: unknown, path: KeyPath = []): KeyPath[] {
  const here = [path, [...path, "nowhere"], [...path, "99"]];
  if (typeof value !== "object" || value === null) return here;
  return [...here, ...Object.entries(value).flatMap(([key, child]) => pathsOf(child, [...path, key]))];
}

const ordinary = `# my settings
_config_version: 22
model:
  default: some/model-4.5   # the usual one
  api_key: sk-very-secret
fallback_providers:
- {provider: openrouter, model: "other model"}
agent:
  max_turns: 60
  verbose: off
  system_prompt: |
    first line
      second line

    last line
empty:
numbers: [1, -2, 0.5, 0x1f, 12345678901234567890]
`;

describe("a file that was read before", () => {
  test("[20:R7.8] gives the same values and places", async () => {
    using temp = new TempHome();
    const parsed = await keep(temp, ordinary);
    const copy = readParsedCopy(temp.home, ordinary);
    if (parsed.kind !== "good") throw new Error(parsed.message);
    expect(copy?.tree).toStrictEqual(parsed.tree);
    expect(JSON.stringify(copy?.tree)).toBe(JSON.stringify(parsed.tree));
    for (const path of pathsOf(parsed.tree)) expect(copy?.locate(path), path.join(".")).toEqual(parsed.locate(path));
  });

  test("leaves nothing of its values in the copy, and only its owner may read that", async () => {
    using temp = new TempHome({ "config.yaml": ordinary });
    await temp.load();
    expect(temp.read(copyName)).toContain("api_key");
    expect(temp.read(copyName)).not.toMatch(/sk-|secret|openrouter|line|60|123456|0\.5/);
    expect(temp.modeOf(copyName)).toBe(0o600);
  });

  test.each([
    ["an escape", 'a: "x\\ty"\n'],
    ["a doubled quote", "a: 'it''s'\n"],
    ["a folded text", "a: >\n  one\n  two\n"],
    ["a reference", "a: &x 1\nb: *x\n"],
    ["a merged map", "a: &x {b: 1}\nc:\n  <<: *x\n"],
    ["a doubled key", "a: 1\na: 2\n"],
    ["an endless number", "a: .inf\n"],
  ])("%s is read anew each time", async (_name, text) => {
    using temp = new TempHome({ "config.yaml": text });
    await temp.load();
    expect(temp.has(copyName)).toBe(false);
  });
});

describe("a copy does not count", () => {
  const settings = "agent:\n  max_turns: 60\n";

  test("when the file has changed, however little", async () => {
    using temp = new TempHome();
    await keep(temp, settings);
    expect(readParsedCopy(temp.home, settings)?.tree).toEqual({ agent: { max_turns: 60 } });
    for (const other of [
      "agent:\n  max_turns: 61\n",
      "agent:\n  max_turns: 06\n",
      `${settings}\n`,
      settings.trimEnd(),
      "",
    ]) {
      expect(readParsedCopy(temp.home, other)).toBeUndefined();
    }
  });

  test.each<[string, (copy: Record<string, unknown>) => unknown]>([
    ["it is from another program", (copy) => ({ ...copy, program: "0.0.1" })],
    ["it has no places", ({ root: _root, ...copy }) => copy],
    ["its places are something else", (copy) => ({ ...copy, root: { named: { agent: [0, { named: [] }] } } })],
    ["a place is no number", (copy) => ({ ...copy, root: { named: { agent: ["0", [0, 1]] } } })],
    ["a value is written out", (copy) => ({ ...copy, root: { named: { agent: [0, "evil"] } } })],
    ["it is a list", () => []],
  ])("when %s", async (_name, change) => {
    using temp = new TempHome();
    await keep(temp, settings);
    const copy = JSON.parse(temp.read(copyName)) as Record<string, unknown>;
    temp.write(copyName, JSON.stringify(change(copy)));
    expect(readParsedCopy(temp.home, settings)).toBeUndefined();
  });

  test("when it is torn or a folder; the file itself is read then", async () => {
    using temp = new TempHome({ "config.yaml": settings });
    const load = () => loadConfig({ home: temp.home, env: temp.env });
    const expected = { readFrom: "file", warnings: [], config: { agent: { max_turns: 60 } } };
    temp.write(copyName, '{"program":"sour');
    expect(await load()).toMatchObject(expected);
    rmSync(temp.home.at(copyName));
    mkdirSync(temp.home.at(copyName));
    expect(await load()).toMatchObject(expected);
    rmSync(temp.home.cache, { recursive: true });
    writeFileSync(temp.home.cache, "");
    expect(await load()).toMatchObject(expected);
  });
});

test("[20:R7.11] a managed home gets no copy", async () => {
  using temp = new TempHome({ "config.yaml": "timezone: UTC\n", ".managed": "nix\n" });
  await temp.load();
  expect(temp.has(copyName)).toBe(false);
});

const odd = fc.constantFrom(
  "off",
  "x: y",
  "a #b",
  "1e3",
  "007",
  ".5",
  "~",
  "-",
  "null",
  "True",
  "a\nb",
  " lead",
  "é",
  "👋",
  "\t",
  "",
);
const word = fc.oneof(fc.stringMatching(/^[a-z][a-z0-9 ./:-]{0,8}[a-z]$/), odd, fc.string({ maxLength: 6 }));
const tree = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    word,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(word, tie("value"), { maxKeys: 4 }),
  ),
})).value;
const styles = fc.record({
  indent: fc.constantFrom(2, 3),
  defaultStringType: fc.constantFrom(
    "PLAIN" as const,
    "QUOTE_DOUBLE" as const,
    "QUOTE_SINGLE" as const,
    "BLOCK_LITERAL" as const,
  ),
  collectionStyle: fc.constantFrom("any" as const, "block" as const, "flow" as const),
});

test("[20:R7.8] whatever a file holds, a copy of it is exact or is not kept", async () => {
  using temp = new TempHome();
  let kept = 0;
  await fc.assert(
    fc.asyncProperty(fc.dictionary(word, tree, { maxKeys: 5 }), styles, async (settings, style) => {
      const text = stringify(settings, style);
      const parsed = await keep(temp, text);
      const copy = readParsedCopy(temp.home, text);
      if (copy === undefined || parsed.kind !== "good") return;
      kept += 1;
      expect(copy.tree).toStrictEqual(parsed.tree);
      for (const path of pathsOf(parsed.tree)) expect(copy.locate(path)).toEqual(parsed.locate(path));
    }),
    { numRuns: 150 },
  );
  expect(kept).toBeGreaterThan(30);
});

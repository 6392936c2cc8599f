import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Intent, intentOf } from "./intent.ts";
import { nextMove } from "./script.ts";

describe("the demo model understands", () => {
  it.each<[string, Intent]>([
    ["list the files in src", { kind: "list", path: "src" }],
    ["please list files", { kind: "list", path: "." }],
    ["What files are in ./docs?", { kind: "list", path: "./docs" }],
    ["read README.md", { kind: "read", path: "README.md" }],
    ["show me the file `my notes.txt`", { kind: "read", path: "my notes.txt" }],
    ["search for TODO in src", { kind: "search", pattern: "TODO", path: "src" }],
    ['search for "two words"', { kind: "search", pattern: "two words", path: "." }],
    ['replace "old" with "new" in notes.txt', { kind: "replace", path: "notes.txt", from: "old", to: "new" }],
    ['change "a" to "b" in `x y.md`', { kind: "replace", path: "x y.md", from: "a", to: "b" }],
    ["create a file hello.txt with Hello there", { kind: "write", path: "hello.txt", content: "Hello there" }],
    ["run `ls -la`", { kind: "run", command: "ls -la" }],
    ["run the command npm test", { kind: "run", command: "npm test" }],
    ["remember that I like tea", { kind: "remember", fact: "I like tea" }],
    ["recall tea", { kind: "recall", query: "tea" }],
    ["what did we say about tea?", { kind: "recall", query: "tea" }],
    ["plan: buy milk, bake, eat", { kind: "plan", items: ["buy milk", "bake", "eat"] }],
    ["delegate: count the lines of README.md", { kind: "delegate", goal: "count the lines of README.md" }],
    ["write a small program that prints primes", { kind: "program", topic: "prints primes" }],
    ["hello", { kind: "greeting" }],
    ["why is the sky blue", { kind: "unknown" }],
  ])("%j", (text, intent) => {
    expect(intentOf(text)).toEqual(intent);
  });

  it("some intent in any text, without failing", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), (text) => {
        expect(intentOf(text).kind).toMatch(/^[a-z]+$/);
      }),
    );
  });
});

describe("the demo model", () => {
  it("reads a result that has a note behind it", () => {
    const result = '{"files":["a.txt"]}\n\n[Instructions found in AGENTS.md]\nBe brief.';
    const scene = {
      request: "list files in .",
      results: [result],
      tools: new Set(["search_files"]),
      isFirstReply: false,
    };
    expect(nextMove(scene).text).toContain("- a.txt");
  });
});

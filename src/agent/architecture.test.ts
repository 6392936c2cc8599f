import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { flagsOf } from "#conversation";

const folder = import.meta.dirname;

function sourcesIn(path: string): readonly { readonly name: string; readonly text: string }[] {
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.includes("testing"))
    .map((name) => ({ name, text: readFileSync(join(path, name), "utf8") }));
}

const sources = sourcesIn(folder);

describe("the agent's code", () => {
  it("keeps no changing state in modules [10:A12.1] [10:ARCH-4] [10:D5]", () => {
    const found = sources.flatMap(({ name, text }) =>
      text
        .split("\n")
        .filter(
          (line) =>
            /^(?:export )?(?:let|var) /.test(line) ||
            /^(?:export )?const \w+(?:: [^=]+)? = new (?:Map|Set|Array)\(\);?$/.test(line),
        )
        .map((line) => `${name}: ${line}`),
    );
    expect(found).toEqual([]);
  });

  it("counts nothing in the agent: what a turn counts is made with it [10:ARCH-2] [10:D3]", () => {
    const countersIn = (name: string) =>
      readFileSync(join(folder, name), "utf8").match(/^ {2}#?(?:private )?\w+(?:: number)? = (?:\d+|false);$/gm) ?? [];
    expect(countersIn("turn/turn.ts")).not.toEqual([]);
    expect(countersIn("agent.ts")).toEqual([]);
    const made = sources.filter(({ text }) => text.includes("new Turn("));
    expect(made.map(({ name }) => name)).toEqual(["agent.ts"]);
  });

  it("has one short loop that knows no provider, no status and no wire [10:ARCH-1] [10:ARCH-3] [10:D1] [10:D2]", () => {
    const loop = readFileSync(join(folder, "loop.ts"), "utf8");
    expect(loop.split("\n").length).toBeLessThan(110);
    expect(loop.match(/for \(;;\)|while \(/g)).toHaveLength(2);
    expect(loop).not.toMatch(/anthropic|openai|openrouter|nous|\b[45]\d\d\b|chat_completions/i);
    const turnParts = [
      "turn/prepare-turn.ts",
      "turn/request/request.ts",
      "turn/request/call-model.ts",
      "turn/request/inspect.ts",
      "turn/finish-turn.ts",
      "recovery/remedy.ts",
    ];
    expect(sources.map(({ name }) => name)).toEqual(expect.arrayContaining(turnParts));
  });

  it("names no provider in its remedies [10:ARCH-3] [10:D4]", () => {
    const named = sourcesIn(join(folder, "recovery")).filter(({ text }) =>
      /["'](?:anthropic|openai|openrouter|nous|copilot)["']/.test(text),
    );
    expect(named.map(({ name }) => name)).toEqual([]);
  });

  it("asks nobody but its caller where the home is [10:D15]", () => {
    const found = sources.filter(({ text }) => /homedir\(\)|process\.env\b|["'`]~?\/?\.hermes/.test(text));
    expect(
      found.map(({ name }) => name).filter((name) => name.startsWith("memory/providers") || !name.includes("/")),
    ).toEqual([]);
  });

  it("gives every ending one meaning [10:LOOP-20]", () => {
    expect(flagsOf("text_response")).toEqual({ completed: true, partial: false, failed: false, interrupted: false });
    expect(flagsOf("max_iterations_reached")).toEqual({
      completed: false,
      partial: true,
      failed: false,
      interrupted: false,
    });
    expect(flagsOf("interrupted_during_retry")).toEqual({
      completed: false,
      partial: false,
      failed: false,
      interrupted: true,
    });
    expect(flagsOf("context_overflow")).toEqual({ completed: false, partial: true, failed: true, interrupted: false });
    expect(flagsOf("rate_limited")).toEqual({ completed: false, partial: false, failed: true, interrupted: false });
    expect(flagsOf("fallback_prior_turn_content").completed).toBe(true);
  });
});

import { describe, expect, it } from "vitest";
import type { PersonAnswer } from "../contract/session-scope.ts";
import { fillForm } from "./elicit-form.ts";

/** A person who gives these answers in order. */
function person(...answers: readonly (string | undefined)[]) {
  const asked: { text: string; choices: readonly string[] }[] = [];
  const ask = (text: string, choices: readonly string[]): Promise<PersonAnswer> => {
    const answer = answers[asked.length];
    asked.push({ text, choices });
    return Promise.resolve(answer === undefined ? { kind: "declined" } : { kind: "answer", text: answer });
  };
  return { asked, ask };
}

const question = (properties: Record<string, unknown>, required: readonly string[] = Object.keys(properties)) => ({
  server: "s",
  message: "Please.",
  schema: { type: "object", properties, required },
});

describe("the form of an MCP server", () => {
  it("without fields is a question of yes or no [30:6.5]", async () => {
    expect(await fillForm(question({}), person("Yes").ask)).toEqual({ kind: "accept", content: {} });
    expect(await fillForm(question({}), person("No").ask)).toEqual({ kind: "decline" });
  });

  it("offers named choices and sends what they stand for [30:6.5]", async () => {
    const size = { type: "string", enum: ["s", "l"], enumNames: ["Small", "Large"] };
    const colour = { type: "string", oneOf: [{ const: "r", title: "Red" }, { const: "g" }] };
    const someone = person("Large", "g");
    expect(await fillForm(question({ size, colour }), someone.ask)).toEqual({
      kind: "accept",
      content: { size: "l", colour: "g" },
    });
    expect(someone.asked.map(({ choices }) => choices)).toEqual([
      ["Small", "Large"],
      ["Red", "g"],
    ]);
  });

  it("takes numbers within their bounds only, and gives up after three tries [30:6.5]", async () => {
    const age = { type: "integer", minimum: 1, maximum: 9 };
    expect(await fillForm(question({ age }), person("12", "1.5", "3").ask)).toEqual({
      kind: "accept",
      content: { age: 3 },
    });
    const stubborn = person("a", "b", "c", "4");
    expect(await fillForm(question({ age }), stubborn.ask)).toEqual({ kind: "decline" });
    expect(stubborn.asked).toHaveLength(3);
  });

  it("is declined as a whole by one refusal, and when it asks for what cannot be asked [30:6.5]", async () => {
    const text = { type: "string" };
    expect(await fillForm(question({ a: text, b: text }), person("x", undefined).ask)).toEqual({ kind: "decline" });
    const odd = person("x");
    expect(await fillForm(question({ a: text, list: { type: "array" } }), odd.ask)).toEqual({ kind: "decline" });
    expect(odd.asked).toEqual([]);
    expect(await fillForm(question({ a: text, list: { type: "array" } }, ["a"]), person("x").ask)).toEqual({
      kind: "accept",
      content: { a: "x" },
    });
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`f${index}`, text]));
    expect(await fillForm(question(many), person("x").ask)).toEqual({ kind: "decline" });
  });
});

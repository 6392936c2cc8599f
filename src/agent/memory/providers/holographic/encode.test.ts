import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aboutKey, encodeFact, sayingKey } from "./encode.ts";
import { aliasIn, entitiesIn } from "./entities.ts";
import { atom, bind, bundle, likeness } from "./phases.ts";
import { overlap, wordsOf } from "./words.ts";

describe("the algebra of phases", () => {
  it("gives a name the same vector everywhere, unlike any other", () => {
    expect([...atom("tea").slice(0, 4)]).toEqual([...atom("tea").slice(0, 4)]);
    fc.assert(
      fc.property(fc.string(), fc.string(), (left, right) => {
        const alike = likeness(atom(left), atom(right));
        if (left === right) expect(alike).toBe(1);
        else expect(Math.abs(alike)).toBeLessThan(0.15);
      }),
      { numRuns: 50 },
    );
  });

  it("gives a binding that is like neither part, and a bundle that is like each of its parts", () => {
    const [a, b, c] = [atom("a"), atom("b"), atom("c")];
    expect(Math.abs(likeness(bind(a, b), a))).toBeLessThan(0.15);
    const whole = bundle([a, b, c]);
    for (const part of [a, b, c]) expect(likeness(whole, part)).toBeGreaterThan(0.4);
    expect(Math.abs(likeness(whole, atom("d")))).toBeLessThan(0.15);
  });

  it("tells what a fact is about from what it merely says", () => {
    const fact = encodeFact("Ada prefers tea over coffee", ["Ada"]);
    expect(likeness(fact, aboutKey("ada"))).toBeGreaterThan(0.4);
    expect(likeness(fact, aboutKey("Grace"))).toBeLessThan(0.1);
    expect(likeness(fact, aboutKey("tea"))).toBeLessThan(0.1);
    expect(likeness(fact, sayingKey("tea or coffee"))).toBeGreaterThan(
      likeness(fact, sayingKey("bicycle repair")) + 0.1,
    );
  });
});

describe("the names in a sentence", () => {
  it.each([
    ["Ada Lovelace works with Charles Babbage", ["Ada Lovelace", "Charles Babbage"]],
    ["The repo is at ~/code/atlas", ["~/code/atlas"]],
    ['Deploys use "blue green" and docker-compose', ["blue green", "docker-compose"]],
    ["Write to ada@example.org about the API", ["ada@example.org", "API"]],
    ["Zoë's editor is Vim", ["Zoë", "Vim"]],
    ["it rains", []],
  ])("of %j are %j", (text, names) => expect(entitiesIn(text)).toEqual(names));

  it("are few and short, whatever the text, and found in time that grows with it", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), (text) => {
        const names = entitiesIn(text);
        expect(names.length).toBeLessThanOrEqual(12);
        expect(names.every((name) => name.length <= 80 && name !== "")).toBe(true);
        aliasIn(text);
      }),
    );
  });

  it("may be two of one thing", () => {
    expect(aliasIn("Robert Smith, also known as Bob, lives here")).toEqual({ name: "Robert Smith", alias: "Bob" });
    expect(aliasIn("nothing of the kind")).toBeUndefined();
  });

  it("leave words without meaning out of comparisons", () => {
    expect(wordsOf("The user doesn’t like THE tea")).toEqual(["user", "doesn't", "like", "tea"]);
    expect(overlap(["a", "b"], ["b", "c"])).toBeCloseTo(1 / 3);
  });
});

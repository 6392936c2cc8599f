import { describe, expect, it } from "vitest";
import { parseQuery } from "./query.ts";
import { searchQuery, searchVector } from "./vector.ts";

const query = (typed: string): string | undefined => searchQuery(parseQuery(typed));

describe("the PostgreSQL index", () => {
  it("holds words with their places, folded, and pairs of characters", () => {
    expect(searchVector("Déjà vu, vu")).toBe("'deja':1 'vu':2,3");
    expect(searchVector("don't 记忆x")).toBe("'don':1 't':2 '记忆':3 '忆':4 'x':5");
    expect(searchVector("back\\slash 'q'")).toBe("'back':1 'slash':2 'q':3");
    expect(searchVector("")).toBe("");
  });

  it("keeps within the limits of the server", () => {
    const vector = searchVector("word ".repeat(40_000) + "z".repeat(5_000));
    expect(vector.length).toBeLessThan(4_000);
    expect(vector).toMatch(/^'word':1,2,/);
  });
});

describe("the PostgreSQL query", () => {
  it.each([
    ["docker deployment", "('docker') & ('deployment')"],
    ['"exact phrase"', "'exact' <-> 'phrase'"],
    ["a OR b c", "('a') | (('b') & ('c'))"],
    ["a b NOT c", "('a') & ('b') & !('c')"],
    ["deploy*", "'deploy':*"],
    ["v1.2*", "'v1' <-> '2':*"],
    ["记忆断", "'记忆' <-> '忆断'"],
    ["记", "'记':*"],
  ])("%s is %s", (typed, expected) => {
    expect(query(typed)).toBe(expected);
  });

  it("is nothing when nothing is left", () => {
    expect(query("")).toBeUndefined();
    expect(query("²")).toBeDefined();
  });
});

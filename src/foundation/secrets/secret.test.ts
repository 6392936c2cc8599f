import { inspect } from "node:util";
import { expect, test } from "vitest";
import { Secret } from "./secret.ts";

test("[20:R0.7] no way of printing a secret shows it", () => {
  const secret = new Secret("sk-very-secret-value");
  const prints = [
    String(secret),
    `${secret}`,
    JSON.stringify({ secret }),
    inspect(secret),
    inspect({ deep: [secret] }, { depth: 9, showHidden: true }),
    `${Object.entries(secret)}`,
  ];
  for (const text of prints) expect(text).not.toContain("very-secret");
  expect(JSON.stringify(secret)).toBe('"***"');
});

test("[20:R0.7] reading a secret is an explicit call", () => {
  expect(new Secret("abc").reveal()).toBe("abc");
});

test("secrets are compared and checked for emptiness without being shown", () => {
  expect(new Secret("a").equals(new Secret("a"))).toBe(true);
  expect(new Secret("a").equals(new Secret("b"))).toBe(false);
  expect(new Secret("").isEmpty).toBe(true);
});

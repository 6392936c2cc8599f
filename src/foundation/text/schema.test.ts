import { expect, test } from "vitest";
import { z } from "zod";
import { UserError } from "../errors.ts";
import { checkWith, parseWith, toJsonSchema } from "./schema.ts";

const schema = z.strictObject({
  name: z.string().describe("What to call it"),
  terminal: z.object({ timeoutMs: z.number().default(30) }).optional(),
  items: z.array(z.object({ id: z.number() })).optional(),
});

test("a valid value comes back as the schema reads it", () => {
  expect(parseWith(schema, { name: "a", terminal: {} }, "config.yaml")).toEqual({
    name: "a",
    terminal: { timeoutMs: 30 },
  });
});

test("an invalid value names what it was and every wrong place", () => {
  const attempt = (): unknown =>
    parseWith(schema, { name: 1, terminal: { timeoutMs: "x" }, items: [{ id: 1 }, { id: "b" }] }, "config.yaml");
  expect(attempt).toThrow(UserError);
  expect(attempt).toThrow(
    "config.yaml is not valid: name: expected string, received number; terminal.timeoutMs: expected number, received string; items[1].id: expected number, received string",
  );
});

test("the value itself, which may be a secret, is not repeated", () => {
  const check = checkWith(z.object({ key: z.enum(["a", "b"]), n: z.number() }), { key: "sk-secret", n: "sk-secret" });
  expect(check.ok).toBe(false);
  expect(JSON.stringify(check)).not.toContain("sk-secret");
});

test("a long list of mistakes is cut and counted", () => {
  const many = z.array(z.number());
  expect(() =>
    parseWith(
      many,
      Array.from({ length: 9 }, () => "x"),
      "list",
    ),
  ).toThrow(/\[4\]: [^;]+; and 4 more$/);
});

test("a mistake of the whole value has no path", () => {
  expect(checkWith(schema, 5)).toEqual({
    ok: false,
    problems: [{ path: "", message: "expected object, received number" }],
  });
});

test("the JSON Schema shows what may be given, with descriptions and without a dialect line", () => {
  expect(toJsonSchema(z.object({ name: z.string().describe("What to call it"), n: z.number().default(3) }))).toEqual({
    type: "object",
    properties: { name: { type: "string", description: "What to call it" }, n: { type: "number", default: 3 } },
    required: ["name"],
  });
});

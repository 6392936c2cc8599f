import fc from "fast-check";
import { expect, test } from "vitest";
import { describe as describeError, HermesError, systemErrorCode, UserError } from "./errors.ts";

test("an error reads as one line with its causes, outermost first", () => {
  const inner = new Error("connect ECONNREFUSED");
  const outer = new Error("could not\n  load models", { cause: inner });
  expect(describeError(outer)).toBe("could not load models: connect ECONNREFUSED");
});

test("a cause that the outer message already tells is not repeated", () => {
  expect(describeError(new Error("read failed: EIO", { cause: new Error("EIO") }))).toBe("read failed: EIO");
});

test("a cycle of causes ends", () => {
  const error = new Error("a");
  error.cause = error;
  expect(describeError(error)).toBe("a");
});

test("whatever was thrown is described without throwing again", () => {
  fc.assert(fc.property(fc.anything(), (thrown) => describeError(thrown).length > 0));
  expect(describeError(undefined)).toBe("unknown error");
  expect(describeError(10n)).toBe("10");
});

test("an error for a person keeps its hint, code and exit code", () => {
  const error = new UserError("No key.", { hint: "Run: hermes auth add", code: "no_key", exitCode: 3, data: { a: 1 } });
  expect(error).toBeInstanceOf(HermesError);
  expect([error.message, error.hint, error.code, error.exitCode]).toEqual([
    "No key.",
    "Run: hermes auth add",
    "no_key",
    3,
  ]);
  expect(error.data).toEqual({ a: 1 });
  expect(new UserError("x").exitCode).toBe(1);
});

test("a system error's code is found, and nothing else is taken for one", () => {
  expect(systemErrorCode(Object.assign(new Error("x"), { code: "ENOENT" }))).toBe("ENOENT");
  expect(systemErrorCode(Object.assign(new Error("x"), { code: 5 }))).toBeUndefined();
  expect(systemErrorCode({ code: "ENOENT" })).toBeUndefined();
});

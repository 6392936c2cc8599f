import { expect, test, vi } from "vitest";
import { disposable, Scope } from "./disposal.ts";

test("what was taken last is ended first, and each end is waited for", async () => {
  const order: string[] = [];
  {
    await using scope = new Scope();
    scope.defer(() => order.push("first"));
    scope.defer(async () => {
      await Promise.resolve();
      order.push("second");
    });
    scope.adopt({ [Symbol.dispose]: () => void order.push("third") });
    scope.adopt({
      async [Symbol.asyncDispose]() {
        order.push("fourth");
      },
    });
  }
  expect(order).toEqual(["fourth", "third", "second", "first"]);
});

test("everything is ended although parts fail, and all failures are reported", async () => {
  const ended = vi.fn();
  const scope = new Scope();
  scope.defer(ended);
  scope.defer(() => {
    throw new Error("a");
  });
  scope.defer(() => Promise.reject(new Error("b")));
  const error = await scope[Symbol.asyncDispose]().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(AggregateError);
  expect((error as AggregateError).errors.map(String)).toEqual(["Error: b", "Error: a"]);
  expect(ended).toHaveBeenCalledOnce();
});

test("one failure is thrown as it is", async () => {
  const scope = new Scope();
  const failure = new Error("only");
  scope.defer(() => Promise.reject(failure));
  await expect(scope[Symbol.asyncDispose]()).rejects.toBe(failure);
});

test("ending twice ends once, and the second caller waits for the first", async () => {
  const scope = new Scope();
  let isDone = false;
  const cleanup = vi.fn(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    isDone = true;
  });
  scope.defer(cleanup);
  void scope[Symbol.asyncDispose]();
  await scope[Symbol.asyncDispose]();
  expect(isDone).toBe(true);
  expect(cleanup).toHaveBeenCalledOnce();
});

test("a scope that ended disposes what it is given and says so", async () => {
  const scope = new Scope();
  await scope[Symbol.asyncDispose]();
  const cleanup = vi.fn();
  expect(() => scope.defer(cleanup)).toThrow(/has ended/);
  expect(cleanup).toHaveBeenCalledOnce();
});

test("what is handed over while the scope ends is ended too", async () => {
  const scope = new Scope();
  const late = vi.fn();
  scope.defer(() => scope.defer(late));
  await scope[Symbol.asyncDispose]();
  expect(late).toHaveBeenCalledOnce();
});

test("a wrapped clean-up runs once, whichever way it is disposed", async () => {
  const cleanup = vi.fn();
  const item = disposable(cleanup);
  item[Symbol.dispose]();
  await item[Symbol.asyncDispose]();
  expect(cleanup).toHaveBeenCalledOnce();
});

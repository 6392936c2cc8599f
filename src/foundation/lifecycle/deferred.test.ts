import { expect, test } from "vitest";
import { Deferred } from "./deferred.ts";

test("a deferred settles once, as it was first told", async () => {
  const deferred = new Deferred<number>();
  expect(deferred.isSettled).toBe(false);
  deferred.resolve(1);
  deferred.reject(new Error("late"));
  expect(deferred.isSettled).toBe(true);
  expect(await deferred.promise).toBe(1);
});

test("a rejected deferred rejects", async () => {
  const deferred = new Deferred<number>();
  deferred.reject(new Error("no"));
  await expect(deferred.promise).rejects.toThrow("no");
});

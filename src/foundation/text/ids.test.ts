import { expect, test, vi } from "vitest";
import { newId } from "./ids.ts";

test("an id carries its prefix, its time and 80 random bits in lower-case base 32", () => {
  expect(newId("msg")).toMatch(/^msg_[0-9abcdefghjkmnpqrstvwxyz]{26}$/);
});

test("ids sort by the time they were made", () => {
  const at = vi.spyOn(Date, "now");
  const ids = [0, 1, 1_000, 1_763_000_000_000, 1_763_000_000_001, 2 ** 48 - 1].map((ms) => {
    at.mockReturnValue(ms);
    return newId("x");
  });
  expect(ids.toSorted()).toEqual(ids);
});

test("ids do not repeat", () => {
  expect(new Set(Array.from({ length: 5_000 }, () => newId("x"))).size).toBe(5_000);
});

import { expect, test } from "vitest";
import { never } from "../lifecycle/abort.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { systemClock } from "./clock.ts";

test("the system clock tells the time and waits", async () => {
  const before = Date.now();
  await systemClock.sleep(5, never);
  expect(systemClock.now()).toBeGreaterThanOrEqual(before + 4);
});

test("sleepers wake in the order of their moments, each seeing its own time", async () => {
  const clock = new FakeClock(1_000);
  const woke: [string, number][] = [];
  const later = clock.sleep(200, never).then(() => woke.push(["later", clock.now()]));
  const sooner = clock.sleep(100, never).then(() => woke.push(["sooner", clock.now()]));
  await clock.advance(150);
  expect(woke).toEqual([["sooner", 1_100]]);
  expect(clock.now()).toBe(1_150);
  await clock.advance(50);
  await Promise.all([later, sooner]);
  expect(woke).toEqual([
    ["sooner", 1_100],
    ["later", 1_200],
  ]);
});

test("a loop that sleeps again within the advance goes on in it", async () => {
  const clock = new FakeClock(0);
  const at: number[] = [];
  const loop = (async () => {
    for (let round = 0; round < 3; round += 1) {
      await clock.sleep(10, never);
      at.push(clock.now());
    }
  })();
  await clock.advance(30);
  await loop;
  expect(at).toEqual([10, 20, 30]);
  expect(clock.slept).toEqual([10, 10, 10]);
});

test("an abort ends a sleep with its reason", async () => {
  const clock = new FakeClock();
  const controller = new AbortController();
  const sleeping = clock.sleep(1_000, controller.signal);
  controller.abort("stop");
  await expect(sleeping).rejects.toBe("stop");
  await expect(clock.sleep(1, controller.signal)).rejects.toBe("stop");
});

test("a clock that advances by itself returns at once and moves the time", async () => {
  const clock = new FakeClock(0, { autoAdvance: true });
  await clock.sleep(7_000, never);
  expect(clock.now()).toBe(7_000);
  expect(clock.slept).toEqual([7_000]);
});

test("a test can wait until somebody sleeps", async () => {
  const clock = new FakeClock();
  const reached = clock.sleeping(2);
  const sleeps = [clock.sleep(1, never), clock.sleep(1, never)];
  await reached;
  await clock.advance(1);
  await Promise.all(sleeps);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { Channel } from "./channel.ts";

async function readAll<T>(channel: Channel<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of channel) values.push(value);
  return values;
}

test("a reader gets every value in order, pushed before or while it waits", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer()), fc.array(fc.integer()), async (before, after) => {
      const channel = new Channel<number>();
      for (const value of before) channel.push(value);
      const reading = readAll(channel);
      await Promise.resolve();
      for (const value of after) channel.push(value);
      channel.close();
      expect(await reading).toEqual([...before, ...after]);
    }),
  );
});

test("a failed producer fails the reader, after the values it gave", async () => {
  const channel = new Channel<number>();
  channel.push(1);
  channel.fail(new Error("broken"));
  const seen: number[] = [];
  await expect(
    (async () => {
      for await (const value of channel) seen.push(value);
    })(),
  ).rejects.toThrow("broken");
  expect(seen).toEqual([1]);
});

test("a failure reaches a reader that is already waiting", async () => {
  const channel = new Channel<number>();
  const reading = readAll(channel);
  channel.fail(new Error("broken"));
  await expect(reading).rejects.toThrow("broken");
});

test("a failure nobody reads is no unhandled rejection", async () => {
  new Channel<number>().fail(new Error("unread"));
  await new Promise((resolve) => setImmediate(resolve));
});

test("the end is final", async () => {
  const channel = new Channel<number>();
  channel.close();
  channel.push(1);
  channel.fail(new Error("late"));
  expect(channel.isClosed).toBe(true);
  expect(await readAll(channel)).toEqual([]);
});

test("a reader that leaves early abandons the channel, and the producer may go on", async () => {
  const channel = new Channel<number>();
  channel.push(1);
  channel.push(2);
  for await (const value of channel) {
    expect(value).toBe(1);
    break;
  }
  channel.push(3);
  expect(channel.isClosed).toBe(false);
  expect(await readAll(channel)).toEqual([]);
});

test("reading a long buffer takes no more than moments", async () => {
  const channel = new Channel<number>();
  for (let value = 0; value < 100_000; value += 1) channel.push(value);
  channel.close();
  let sum = 0;
  for await (const value of channel) sum += value;
  expect(sum).toBe(4_999_950_000);
});

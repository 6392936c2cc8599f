import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { FairQueue } from "./fair-queue.ts";
import { threadsFor } from "./threads.ts";

describe("the queue for the model", () => {
  it("lets a session with one request pass one that has many", async () => {
    const queue = new FairQueue<string>();
    const order: string[] = [];
    const all = ["a1", "a2", "a3", "b1"].map((item) =>
      queue.wait(item[0] ?? "", item, never).then(() => order.push(item)),
    );
    while (queue.length > 0) queue.take();
    await Promise.all(all);
    expect(order).toEqual(["a1", "b1", "a2", "a3"]);
  });

  it("forgets whoever left before its turn", async () => {
    const queue = new FairQueue<string>();
    const gone = new AbortController();
    const first = queue.wait("a", "a", gone.signal);
    const second = queue.wait("b", "b", never);
    gone.abort(new Error("left"));
    await expect(first).rejects.toThrow("left");
    expect(queue.peek()).toBe("b");
    queue.take();
    await second;
  });
});

describe("threads of the engine", () => {
  it.each([
    [4, 0, 4],
    [4, 0.3, 4],
    [4, 1.2, 3],
    [2, 1.8, 1],
    [2, 9, 1],
  ])("of %i cores, others use %d: %i", (cores, others, threads) => {
    expect(threadsFor(cores, others)).toBe(threads);
  });
});

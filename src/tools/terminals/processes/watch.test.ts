import { describe, expect, it } from "vitest";
import { RollingText } from "./rolling-text.ts";
import { Watch } from "./watch.ts";
import { WatchBreaker } from "./watch-breaker.ts";

describe("watching for patterns", () => {
  it("[30:4.7] joins a line that arrives in pieces", () => {
    const watch = new Watch(["ready"]);
    expect(watch.feed("server rea", 0)).toEqual([]);
    expect(watch.feed("dy now\nnext", 1)).toEqual([
      { kind: "match", pattern: "ready", output: "server ready now", suppressed: 0 },
    ]);
  });

  it("[30:4.7] reports once per 15 s and counts what it held back", () => {
    const watch = new Watch(["x"]);
    expect(watch.feed("x1\n", 0)).toHaveLength(1);
    expect(watch.feed("x2\nx3\n", 14_999)).toEqual([]);
    expect(watch.feed("x4\n", 15_000)).toMatchObject([{ output: "x4", suppressed: 2 }]);
  });

  it("[30:4.7] gives up after three silences with drops in a row, and forgives after a quiet one", () => {
    const watch = new Watch(["x"]);
    const noisy = (atMs: number) =>
      [...watch.feed("x\n", atMs), ...watch.feed("x\n", atMs + 1)].map((signal) => signal.kind);
    expect(noisy(0)).toEqual(["match"]);
    expect(noisy(20_000)).toEqual(["match"]);
    expect(watch.feed("x\n", 40_000)).toHaveLength(1);
    expect(noisy(60_000)).toEqual(["match"]);
    expect(noisy(80_000)).toEqual(["match"]);
    expect(noisy(100_000)).toEqual(["match", "disabled"]);
    expect(watch.feed("x\n", 200_000)).toEqual([]);
  });

  it("[30:4.7] shows at most 20 lines and 2000 characters", () => {
    const [many] = new Watch(["x"]).feed("x\n".repeat(50), 0);
    expect(many).toMatchObject({ output: Array(20).fill("x").join("\n") });
    const [long] = new Watch(["x"]).feed(`${"x".repeat(5_000)}\n`, 0);
    expect(long?.kind === "match" ? long.output.length : 0).toBe(2_000);
  });

  it("[30:4.7] trips for all processes after 15 reports in 10 s", () => {
    const breaker = new WatchBreaker();
    for (let count = 0; count < 15; count += 1) expect(breaker.admit(count)).toBe("pass");
    expect(breaker.admit(9_000)).toBe("trip");
    expect(breaker.admit(20_000)).toBe("hold");
    expect(breaker.release()).toBe(2);
    expect(breaker.admit(39_001)).toBe("pass");
  });
});

describe("the output that is kept", () => {
  it("[30:4.7] is the last 200 000 characters, without control sequences and job-control noise", () => {
    const text = new RollingText();
    text.push(
      "bash: cannot set terminal process group (1): x\nbash: no job control in this shell\n\u001b[1mhello\u001b[0m\n",
    );
    expect(text.text()).toBe("hello\n");
    for (let count = 0; count < 100; count += 1) text.push("y".repeat(10_000));
    expect(text.text()).toHaveLength(200_000);
    expect(text.tail(3)).toBe("yyy");
  });
});

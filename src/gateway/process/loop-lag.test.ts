import { expect, it } from "vitest";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { systemClock } from "#foundation/time/clock";
import { watchLoopLag } from "./loop-lag.ts";

it("work that holds up everything else in the process is in the log [40:SCL-23]", async () => {
  const logger = memoryLogger();
  const stop = new AbortController();
  const lags: number[] = [];
  const deps = { clock: systemClock, logger, everyMs: 400, limitMs: 100, onLag: (ms: number) => void lags.push(ms) };
  const watching = watchLoopLag(deps, stop.signal);
  for (let round = 0; round < 20 && logger.lines.length === 0; round += 1) {
    const untilMs = Date.now() + 350;
    while (Date.now() < untilMs);
    await new Promise((resolve) => setImmediate(resolve));
  }
  stop.abort();
  await watching;
  expect(logger.lines).toContainEqual(expect.objectContaining({ level: "warn" }));
  expect(Math.max(...lags)).toBeGreaterThan(100);
});

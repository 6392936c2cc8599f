import { expect } from "vitest";

/** Work this short says nothing about how it grows. */
const tooShortMs = 40;
const attempts = 12;

/**
 * Work on four times the input must not take far more than four times as long. Counted in the time of the processor, so
 * that a busy machine changes little; what still disturbs only adds, so the shortest of several measurements counts.
 */
export function expectLinear(size: number, work: (size: number) => void): void {
  let small = Number.POSITIVE_INFINITY;
  let large = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    small = Math.min(
      small,
      processorMs(() => work(Math.ceil(size / 4))),
    );
    large = Math.min(
      large,
      processorMs(() => work(size)),
    );
    if (large < tooShortMs || large / Math.max(small, 1) < 9) return;
  }
  expect.fail(`four times the input took ${(large / Math.max(small, 1)).toFixed(1)} times as long`);
}

export function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

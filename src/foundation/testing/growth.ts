import { expect } from "vitest";

/** Work this short says nothing about how it grows. */
const tooShortMs = 40;
const attempts = 4;

/**
 * Work on four times the input must not take far more than four times as long. Counted in the time of the processor, so
 * that a busy machine changes nothing; a disturbed measurement is taken again.
 */
export function expectLinear(size: number, work: (size: number) => void): void {
  const ratios: number[] = [];
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const small = processorMs(() => work(Math.ceil(size / 4)));
    const large = processorMs(() => work(size));
    const ratio = large / Math.max(small, 1);
    if (large < tooShortMs || ratio < 9) return;
    ratios.push(ratio);
  }
  expect.fail(`four times the input took ${ratios.map((ratio) => ratio.toFixed(1)).join(", ")} times as long`);
}

export function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

const z95 = 1.959_963_985;

/** The 95 % interval of a share (Wilson). */
export function wilson(successes: number, total: number): Interval {
  if (total === 0) return { low: 0, high: 1 };
  const share = successes / total;
  const spread = z95 ** 2 / total;
  const middle = (share + spread / 2) / (1 + spread);
  const half = (z95 * Math.sqrt((share * (1 - share)) / total + spread / (4 * total))) / (1 + spread);
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** How likely one of k attempts passes, from those that were made: the unbiased estimate. */
export function passAt({ tries, passed }: { readonly tries: number; readonly passed: number }, k: number): number {
  if (tries - passed < k) return 1;
  let fails = 1;
  for (let one = 0; one < k; one += 1) fails *= (tries - passed - one) / (tries - one);
  return 1 - fails;
}

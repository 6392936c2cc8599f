import { createHash } from "node:crypto";

/**
 * Vector symbolic algebra on phases. A concept is a vector of angles on a circle of 256 steps; unrelated ones are
 * nearly orthogonal, because there are so many dimensions.
 *
 * - `bind` adds angles: the pair is like neither part.
 * - `bundle` takes the mean direction: the whole is like each of its parts, the less the more there are.
 */
export type Phases = Uint8Array;

export const dimensions = 1_024;
const steps = 256;

const cosines = Float64Array.from({ length: steps }, (_, step) => Math.cos((step * 2 * Math.PI) / steps));
const sines = Float64Array.from({ length: steps }, (_, step) => Math.sin((step * 2 * Math.PI) / steps));

/** The vector of a name: the same in every process and on every machine. */
export function atom(name: string): Phases {
  return new Uint8Array(createHash("shake256", { outputLength: dimensions }).update(name, "utf8").digest());
}

export function bind(left: Phases, right: Phases): Phases {
  const sum = new Uint8Array(dimensions);
  for (let at = 0; at < dimensions; at += 1) sum[at] = (left[at] ?? 0) + (right[at] ?? 0);
  return sum;
}

/** The mean direction; where the parts cancel out, the angle says nothing and is zero. */
export function bundle(parts: readonly Phases[]): Phases {
  const mean = new Uint8Array(dimensions);
  for (let at = 0; at < dimensions; at += 1) {
    let x = 0;
    let y = 0;
    for (const part of parts) {
      const angle = part[at] ?? 0;
      x += cosines[angle] ?? 0;
      y += sines[angle] ?? 0;
    }
    mean[at] = Math.round((Math.atan2(y, x) * steps) / (2 * Math.PI));
  }
  return mean;
}

/** 1 for equal vectors, about 0 (within a tenth) for unrelated ones. */
export function likeness(left: Phases, right: Phases): number {
  let sum = 0;
  for (let at = 0; at < dimensions; at += 1) sum += cosines[((left[at] ?? 0) - (right[at] ?? 0)) & (steps - 1)] ?? 0;
  return sum / dimensions;
}

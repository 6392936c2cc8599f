/** How many single-character insertions, deletions and replacements turn one word into the other. */
export function levenshtein(a: string, b: string): number {
  const left = [...a];
  const right = [...b];
  let previous = right.map((_, index) => index + 1);
  previous.unshift(0);
  for (const [row, from] of left.entries()) {
    const current = [row + 1];
    for (const [column, to] of right.entries()) {
      const replace = (previous[column] ?? 0) + (from === to ? 0 : 1);
      current.push(Math.min(replace, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}

const longestWord = 64;

/** The candidate a person most likely meant, or undefined when none is close. Case does not count. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = normal(word);
  if (wanted === "" || wanted.length > longestWord) return undefined;
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const offered = normal(candidate);
    if (offered.length > longestWord) continue;
    const distance = distanceBetween(wanted, offered);
    if (distance <= tolerance(wanted) && (best === undefined || distance < best.distance))
      best = { candidate, distance };
  }
  return best?.candidate;
}

/** Separators are typed interchangeably: `max-turns`, `max_turns` and `maxTurns` are one word. */
function normal(word: string): string {
  return word
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[-_ ]+/g, "_");
}

/** A clear beginning of the candidate counts as one slip, and so do two neighbours swapped. */
function distanceBetween(wanted: string, offered: string): number {
  if (wanted === offered) return 0;
  if (wanted.length >= 3 && offered.startsWith(wanted)) return 1;
  const plain = levenshtein(wanted, offered);
  return plain === 2 && isSwap(wanted, offered) ? 1 : plain;
}

function isSwap(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  const at = [...a].findIndex((character, index) => character !== b.charAt(index));
  return (
    at >= 0 &&
    a.charAt(at) === b.charAt(at + 1) &&
    a.charAt(at + 1) === b.charAt(at) &&
    a.slice(at + 2) === b.slice(at + 2)
  );
}

function tolerance(word: string): number {
  if (word.length <= 3) return 1;
  return word.length <= 7 ? 2 : 3;
}

const longestCompared = 20_000;

/**
 * How alike two texts are, from 0 to 1: `2 * M / T`, where `T` is the sum of both lengths and `M` counts
 * the characters in common blocks (the longest common substring, then the same to its left and right).
 * Texts beyond 20,000 characters are compared by the lines they share.
 */
export function similarity(a: string, b: string): number {
  const isLong = a.length > longestCompared || b.length > longestCompared;
  const left = isLong ? a.split("\n") : [...a];
  const right = isLong ? b.split("\n") : [...b];
  const total = left.length + right.length;
  if (total === 0) return 1;
  return (2 * (isLong ? sharedCount(left, right) : matchingCount(left, right))) / total;
}

function sharedCount(left: readonly string[], right: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const line of left) counts.set(line, (counts.get(line) ?? 0) + 1);
  let shared = 0;
  for (const line of right) {
    const count = counts.get(line) ?? 0;
    if (count === 0) continue;
    counts.set(line, count - 1);
    shared += 1;
  }
  return shared;
}

interface Region {
  readonly leftStart: number;
  readonly leftEnd: number;
  readonly rightStart: number;
  readonly rightEnd: number;
}

function matchingCount(left: readonly string[], right: readonly string[]): number {
  const locations = new Map<string, number[]>();
  for (const [index, character] of right.entries()) {
    const known = locations.get(character);
    if (known === undefined) locations.set(character, [index]);
    else known.push(index);
  }
  let matching = 0;
  const open: Region[] = [{ leftStart: 0, leftEnd: left.length, rightStart: 0, rightEnd: right.length }];
  for (let region = open.pop(); region !== undefined; region = open.pop()) {
    const block = longestBlock(left, locations, region);
    if (block.size === 0) continue;
    matching += block.size;
    open.push({ ...region, leftEnd: block.left, rightEnd: block.right });
    open.push({ ...region, leftStart: block.left + block.size, rightStart: block.right + block.size });
  }
  return matching;
}

/** The longest common block inside a region; of several, the one that starts first on the left, then on the right. */
function longestBlock(
  left: readonly string[],
  locations: ReadonlyMap<string, readonly number[]>,
  region: Region,
): { readonly left: number; readonly right: number; readonly size: number } {
  let best = { left: region.leftStart, right: region.rightStart, size: 0 };
  let endingAt = new Map<number, number>();
  for (let index = region.leftStart; index < region.leftEnd; index += 1) {
    const current = new Map<number, number>();
    for (const location of locations.get(left[index] ?? "") ?? []) {
      if (location < region.rightStart) continue;
      if (location >= region.rightEnd) break;
      const size = (endingAt.get(location - 1) ?? 0) + 1;
      current.set(location, size);
      if (size > best.size) best = { left: index - size + 1, right: location - size + 1, size };
    }
    endingAt = current;
  }
  return best;
}

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

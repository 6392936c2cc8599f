const nearCharacters = 200;
const shareBefore = 0.25;

/**
 * The part of a long text that holds most of what was searched for: places of the whole phrase; without any,
 * places where all terms stand close together; without any, single terms. A quarter of the room comes before.
 */
export function matchWindow(text: string, query: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const start = bestStart(matchLocations(text, query), text.length, maxCharacters);
  const end = Math.min(text.length, start + maxCharacters);
  const head = start > 0 ? "[earlier part left out]\n" : "";
  const tail = end < text.length ? "\n[later part left out]" : "";
  return `${head}${text.slice(start, end)}${tail}`;
}

/** Some characters around the first match. */
export function previewAround(text: string, query: string, characters: number): string {
  const [location = 0] = matchLocations(text, query);
  const start = Math.max(0, Math.min(location - Math.floor(characters / 2), text.length - characters));
  return text.slice(start, start + characters);
}

export function matchLocations(text: string, query: string): readonly number[] {
  const lower = text.toLowerCase();
  const phrase = query.replaceAll('"', " ").replace(/\s+/g, " ").trim().toLowerCase();
  const whole = phrase === "" ? [] : locationsOf(lower, phrase);
  if (whole.length > 0) return whole;
  const words = phrase.split(" ").filter((word) => !["and", "or", "not"].includes(word));
  const terms = words
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ""))
    .filter((term) => term !== "");
  const locations = terms.map((term) => locationsOf(lower, term));
  const [first = [], ...others] = locations;
  const together = first.filter((location) =>
    others.every((other) => other.some((near) => Math.abs(near - location) <= nearCharacters)),
  );
  if (together.length > 0 && others.length > 0) return together;
  return locations.flat().sort((left, right) => left - right);
}

function bestStart(locations: readonly number[], length: number, size: number): number {
  let best = { start: 0, covered: -1 };
  for (const location of locations.length === 0 ? [0] : locations) {
    const start = Math.max(0, Math.min(Math.floor(location - size * shareBefore), length - size));
    const covered = locations.filter((other) => other >= start && other < start + size).length;
    if (covered > best.covered) best = { start, covered };
  }
  return best.start;
}

const mostLocations = 500;

function locationsOf(text: string, term: string): readonly number[] {
  const locations: number[] = [];
  for (
    let at = text.indexOf(term);
    at >= 0 && locations.length < mostLocations;
    at = text.indexOf(term, at + term.length)
  )
    locations.push(at);
  return locations;
}

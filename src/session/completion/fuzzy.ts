/**
 * How well a path fits what was typed: name equal 100, beginning of the name 80, inside the name 60, inside the
 * path 40, first letters of its words 35, letters in order 25; 0 does not fit. Case does not count.
 */
export function fuzzyScore(typed: string, path: string): number {
  const query = typed.toLowerCase();
  if (query === "") return 1;
  const whole = path.toLowerCase();
  const name = whole.slice(whole.lastIndexOf("/") + 1);
  const bare = name.replace(/\.[^.]+$/, "");
  if (name === query || bare === query || whole === query) return 100;
  if (name.startsWith(query)) return 80;
  if (name.includes(query)) return 60;
  if (whole.includes(query)) return 40;
  if (initialsOf(path.slice(path.lastIndexOf("/") + 1)).startsWith(query)) return 35;
  return isSubsequence(query, name) ? 25 : 0;
}

/** The best, highest first; equal ones by length, then by name. */
export function bestMatches(typed: string, paths: readonly string[], limit: number): readonly string[] {
  return paths
    .map((path) => ({ path, score: fuzzyScore(typed, path) }))
    .filter(({ score }) => score > 0)
    .sort(
      (left, right) =>
        right.score - left.score || left.path.length - right.path.length || (left.path < right.path ? -1 : 1),
    )
    .slice(0, limit)
    .map(({ path }) => path);
}

function initialsOf(name: string): string {
  return (name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").match(/[A-Za-z0-9]+/g) ?? [])
    .map((word) => word.charAt(0))
    .join("")
    .toLowerCase();
}

function isSubsequence(query: string, text: string): boolean {
  let at = 0;
  for (const character of text) if (character === query.charAt(at)) at += 1;
  return at >= query.length;
}

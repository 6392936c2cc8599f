import { extensionOf } from "./binary.ts";

const maxSiblings = 50;
const maxSuggestions = 5;

/** Names in the same folder that a mistyped one may have meant, best first. */
export function similarNames(wanted: string, siblings: readonly string[]): readonly string[] {
  return siblings
    .slice(0, maxSiblings)
    .map((name) => ({ name, score: score(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter((one) => one.score > 0)
    .sort((left, right) => right.score - left.score || left.name.localeCompare(right.name))
    .slice(0, maxSuggestions)
    .map((one) => one.name);
}

function score(wanted: string, name: string): number {
  if (name === wanted) return 100;
  if (stem(name) === stem(wanted)) return 90;
  if (name.startsWith(wanted) || wanted.startsWith(name)) return 70;
  if (name.includes(wanted)) return 60;
  if (name.length > 2 && wanted.includes(name)) return 40;
  return extensionOf(name) === extensionOf(wanted) && sharedShare(wanted, name) >= 0.4 ? 30 : 0;
}

function stem(name: string): string {
  return name.replace(/\.[^.]*$/, "");
}

function sharedShare(left: string, right: string): number {
  const rest = [...right];
  let shared = 0;
  for (const character of left) {
    const at = rest.indexOf(character);
    if (at < 0) continue;
    rest.splice(at, 1);
    shared += 1;
  }
  return shared / Math.max(left.length, right.length, 1);
}

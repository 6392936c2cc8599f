import { similarity } from "#foundation/text/text";

const minSimilarity = 0.7;

/** The tool a model meant by a name that does not exist, or undefined when that would be a guess. */
export function repairToolName(name: string, known: ReadonlySet<string>): string | undefined {
  if (known.has(name)) return name;
  const lower = name.toLowerCase().trim();
  const flat = lower.replace(/[-\s]+/g, "_");
  const snake = name
    .trim()
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[-\s]+/g, "_")
    .toLowerCase();
  for (const candidate of [lower, flat, snake, ...withoutSuffix(snake), ...withoutSuffix(flat)]) {
    if (known.has(candidate)) return candidate;
  }
  return closest(snake, known);
}

/** The name after removing a trailing `tool` once, and again. */
function withoutSuffix(name: string): readonly string[] {
  const once = name.replace(/[_-]?tool$/, "");
  return [once, once.replace(/[_-]?tool$/, "")];
}

function closest(name: string, known: ReadonlySet<string>): string | undefined {
  let best: { name: string; score: number } | undefined;
  for (const candidate of known) {
    const score = similarity(name, candidate);
    if (score >= minSimilarity && (best === undefined || score > best.score)) best = { name: candidate, score };
  }
  return best?.name;
}

/**
 * Chinese, Japanese and Korean text has no spaces to cut words at, so it is searched by overlapping
 * pairs of characters. A run of n characters gives n - 1 pairs and its last character alone; so a
 * single character is found as the beginning of a pair, and a longer string by all of its pairs.
 */
const cjkClass =
  "\\u1100-\\u11ff\\u2e80-\\u2fdf\\u3000-\\u30ff\\u3130-\\u318f\\u31a0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff" +
  "\\ua960-\\ua97f\\uac00-\\ud7ff\\uf900-\\ufaff\\uff01-\\uff60\\uff61-\\uffdc\\u{1b000}-\\u{1b16f}\\u{20000}-\\u{3ffff}";
const cjkRun = new RegExp(`[${cjkClass}]+`, "gu");
const cjkCharacter = new RegExp(`[${cjkClass}]`, "u");

export function hasCjk(text: string): boolean {
  return cjkCharacter.test(text);
}

export function cjkRuns(text: string): readonly string[] {
  return (text.match(cjkRun) ?? []).map((run) => run.replace(/\u3000/g, "")).filter((run) => run !== "");
}

/** The pairs a text is found by, without repeats. */
export function indexedGrams(text: string): readonly string[] {
  const grams = new Set<string>();
  for (const run of cjkRuns(text)) {
    const characters = Array.from(run);
    for (const [index, character] of characters.entries()) grams.add(character + (characters[index + 1] ?? ""));
  }
  return [...grams];
}

/** What to look for: whole pairs, or the beginning of one for a single character. */
export interface GramQuery {
  readonly pairs: readonly string[];
  readonly beginnings: readonly string[];
}

export function gramQuery(text: string): GramQuery {
  const pairs = new Set<string>();
  const beginnings = new Set<string>();
  for (const run of cjkRuns(text)) {
    const characters = Array.from(run);
    if (characters.length === 1) beginnings.add(run);
    for (let index = 0; index + 1 < characters.length; index += 1)
      pairs.add(`${characters[index] ?? ""}${characters[index + 1] ?? ""}`);
  }
  return { pairs: [...pairs], beginnings: [...beginnings] };
}

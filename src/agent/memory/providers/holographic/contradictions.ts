import type { FactDatabase } from "./database.ts";
import { type Fact, factColumns, toFact } from "./fact.ts";
import { overlap, wordsOf } from "./words.ts";

export interface Contradiction {
  readonly left: Fact;
  readonly right: Fact;
  readonly score: number;
  readonly why: "opposite" | "different value";
}

const newestFacts = 200;
const maxPairs = 2_000;
const negations: ReadonlySet<string> = new Set([
  "not",
  "no",
  "never",
  "don't",
  "doesn't",
  "isn't",
  "won't",
  "without",
  "stopped",
  "dislikes",
]);
const leastLikeness = 0.25;

/**
 * Pairs of facts about the same thing that can hardly both be true: the same words with and without a negation, or
 * the same statement with another value. A guess for the model to judge, best first.
 */
export function contradictions(
  db: FactDatabase,
  wanted: { readonly category?: string; readonly minTrust: number; readonly limit: number },
): readonly Contradiction[] {
  const category = wanted.category ?? "";
  const facts = db
    .all(
      `SELECT ${factColumns} FROM facts f WHERE f.trust_score >= ? AND (? = '' OR f.category = ?) ORDER BY f.fact_id DESC LIMIT ?`,
      [wanted.minTrust, category, category, newestFacts],
    )
    .map(toFact);
  const byId = new Map(facts.map((fact) => [fact.factId, { fact, words: wordsOf(fact.content) }]));
  const lowest = facts.at(-1)?.factId ?? 0;
  const pairs = db.all(
    `SELECT a.fact_id AS one, b.fact_id AS other, count(*) AS shared FROM fact_entities a
     JOIN fact_entities b ON b.entity_id = a.entity_id AND b.fact_id > a.fact_id
     WHERE a.fact_id >= ? GROUP BY a.fact_id, b.fact_id LIMIT ?`,
    [lowest, maxPairs],
  );
  return pairs
    .flatMap((row) => {
      const left = byId.get(Number(row["one"]));
      const right = byId.get(Number(row["other"]));
      if (left === undefined || right === undefined) return [];
      const judged = judge(left.words, right.words);
      return judged === undefined ? [] : [{ left: left.fact, right: right.fact, ...judged }];
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, wanted.limit);
}

function judge(left: readonly string[], right: readonly string[]): Pick<Contradiction, "score" | "why"> | undefined {
  const isNegated = (words: readonly string[]): boolean => words.some((word) => negations.has(word));
  const plain = (words: readonly string[]): readonly string[] => words.filter((word) => !negations.has(word));
  const likeness = overlap(plain(left), plain(right));
  if (isNegated(left) !== isNegated(right)) {
    return likeness >= leastLikeness ? { score: Math.min(1, likeness + 0.2), why: "opposite" } : undefined;
  }
  const onlyLeft = left.filter((word) => !right.includes(word)).length;
  const onlyRight = right.filter((word) => !left.includes(word)).length;
  // Both say something the other does not, in nearly the same words.
  if (likeness < leastLikeness || onlyLeft === 0 || onlyRight === 0) return undefined;
  return { score: likeness, why: "different value" };
}

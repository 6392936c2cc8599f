import type { Row } from "./database.ts";

/** One thing that is held to be true, and how much it has proved itself. */
export interface Fact {
  readonly factId: number;
  readonly content: string;
  readonly category: string;
  readonly tags: string;
  readonly trust: number;
  readonly retrievals: number;
  readonly helpful: number;
}

export const startingTrust = 0.5;
export const helpfulStep = 0.05;
export const unhelpfulStep = -0.1;

export const factColumns =
  "f.fact_id, f.content, f.category, f.tags, f.trust_score, f.retrieval_count, f.helpful_count";

export function toFact(row: Row): Fact {
  return {
    factId: Number(row["fact_id"]),
    content: String(row["content"] ?? ""),
    category: String(row["category"] ?? "general"),
    tags: String(row["tags"] ?? ""),
    trust: Number(row["trust_score"] ?? startingTrust),
    retrievals: Number(row["retrieval_count"] ?? 0),
    helpful: Number(row["helpful_count"] ?? 0),
  };
}

/** Between 0 and 1, without the dust of binary fractions. */
export function clampTrust(trust: number): number {
  return Math.round(Math.min(1, Math.max(0, trust)) * 1_000) / 1_000;
}

import type { Protocol } from "../received-request.ts";
import type { CacheUse } from "./explicit-cache.ts";
import type { FirstDifference } from "./first-difference.ts";

/** What prompt caching made of one request. */
export interface LedgerEntry extends CacheUse {
  readonly requestNumber: number;
  readonly protocol: Protocol;
  readonly model: string;
  /** By marks (Anthropic, and chat bodies that carry some), or without (OpenAI). */
  readonly mode: "explicit" | "automatic";
  /** The whole prompt: uncached + cacheRead + cacheWrite. */
  readonly inputTokens: number;
  readonly uncached: number;
  /** Tokens that an earlier request of the same conversation had sent and that were paid for again. */
  readonly missed: number;
  readonly bytes: number;
  /** How far this prompt repeats the previous one of its conversation, byte for byte. */
  readonly prefixBytesShared: number;
  readonly firstDifference?: FirstDifference;
  /** In units of one uncached input token. */
  readonly cost: number;
  /** The same request with everything read that could have been, and the rest written. */
  readonly idealCost: number;
}

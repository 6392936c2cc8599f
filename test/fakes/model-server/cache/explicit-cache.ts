import { createHash } from "node:crypto";
import { tokensInBytes } from "../tokens.ts";
import type { CacheLifetime, PromptBlock } from "./prompt-blocks.ts";

export interface CacheUse {
  readonly cacheRead: number;
  /** All written tokens; `cacheWrite1h` is the part of them with the one-hour lifetime. */
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
}

interface CachedPrefix {
  readonly lifetime: CacheLifetime;
  expiresAt: number;
}

interface Position {
  readonly key: string;
  readonly tokens: number;
  readonly mark?: CacheLifetime;
}

const lifetimeMs: Readonly<Record<CacheLifetime, number>> = { "5m": 300_000, "1h": 3_600_000 };
/** A mark finds earlier entries at most this many blocks back, itself included. */
const lookBack = 20;

/**
 * Prompt caching by marks, as Anthropic does it.
 * 1. Entries are written only at marks, and only above the minimum size.
 * 2. A mark reads the longest living entry within its look-back.
 * 3. Whatever is read or written lives for its full time again.
 */
export class ExplicitCache {
  readonly #prefixes = new Map<string, CachedPrefix>();
  readonly #minimumTokens: number;

  constructor(minimumTokens: number) {
    this.#minimumTokens = minimumTokens;
  }

  use(scope: string, blocks: readonly PromptBlock[], nowMs: number): CacheUse {
    const positions = positionsOf(scope, blocks);
    const hit = this.#longestHit(positions, nowMs);
    const cacheRead = hit?.tokens ?? 0;
    const marks = positions.filter((position) => this.#isWritable(position));
    this.#refresh(hit, marks, nowMs);
    const end = Math.max(cacheRead, marks.at(-1)?.tokens ?? 0);
    const hours = marks.filter((position) => position.mark === "1h").at(-1)?.tokens ?? 0;
    return { cacheRead, cacheWrite: end - cacheRead, cacheWrite1h: Math.max(0, hours - cacheRead) };
  }

  #isWritable(position: Position): boolean {
    return position.mark !== undefined && position.tokens >= this.#minimumTokens;
  }

  #longestHit(positions: readonly Position[], nowMs: number): Position | undefined {
    for (let mark = positions.length - 1; mark >= 0; mark -= 1) {
      if (positions[mark]?.mark === undefined) continue;
      for (let at = mark; at > mark - lookBack && at >= 0; at -= 1) {
        const position = positions[at];
        if (position !== undefined && this.#isAlive(position, nowMs)) return position;
      }
    }
    return undefined;
  }

  #isAlive(position: Position, nowMs: number): boolean {
    const prefix = this.#prefixes.get(position.key);
    return prefix !== undefined && prefix.expiresAt > nowMs;
  }

  #refresh(hit: Position | undefined, marks: readonly Position[], nowMs: number): void {
    const read = hit === undefined ? undefined : this.#prefixes.get(hit.key);
    if (read !== undefined) read.expiresAt = nowMs + lifetimeMs[read.lifetime];
    for (const { key, mark } of marks) {
      if (mark === undefined) continue;
      const known = this.#prefixes.get(key);
      const keeps = known?.lifetime === "1h" && known.expiresAt > nowMs;
      const lifetime = keeps ? "1h" : mark;
      this.#prefixes.set(key, { lifetime, expiresAt: nowMs + lifetimeMs[lifetime] });
    }
  }
}

function positionsOf(scope: string, blocks: readonly PromptBlock[]): readonly Position[] {
  let key = scope;
  let bytes = 0;
  return blocks.map((block) => {
    key = createHash("sha1")
      .update(`${key}\n${block.salt ?? ""}\n${block.text}`)
      .digest("base64");
    bytes += Buffer.byteLength(block.text);
    return { key, tokens: tokensInBytes(bytes), ...(block.mark === undefined ? {} : { mark: block.mark }) };
  });
}

import { createHash } from "node:crypto";
import type { CacheUse } from "./explicit-cache.ts";

/** The smallest cached prefix and the steps above it, in tokens, as OpenAI documents them. */
export const automaticMinimumTokens = 1024;
export const automaticStepTokens = 128;

const stepBytes = automaticStepTokens * 4;

/**
 * Prompt caching without marks, as OpenAI does it: every whole step of an earlier prompt can be read again,
 * once at least the minimum matches. Writing costs nothing.
 */
export class AutomaticCache {
  readonly #expiryByStep = new Map<string, number>();

  use(scope: string, prompt: Buffer, options: { readonly nowMs: number; readonly lifetimeMs: number }): CacheUse {
    let key = scope;
    let steps = 0;
    let isMatching = true;
    for (let at = 0; at + stepBytes <= prompt.length; at += stepBytes) {
      key = createHash("sha1")
        .update(key)
        .update(prompt.subarray(at, at + stepBytes))
        .digest("base64");
      isMatching &&= (this.#expiryByStep.get(key) ?? 0) > options.nowMs;
      if (isMatching) steps += 1;
      this.#expiryByStep.set(key, options.nowMs + options.lifetimeMs);
    }
    const tokens = steps * automaticStepTokens;
    return { cacheRead: tokens >= automaticMinimumTokens ? tokens : 0, cacheWrite: 0, cacheWrite1h: 0 };
  }
}

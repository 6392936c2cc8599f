import type { ReceivedRequest } from "../received-request.ts";
import { tokensInBytes } from "../tokens.ts";
import { AutomaticCache, automaticMinimumTokens, automaticStepTokens } from "./automatic-cache.ts";
import { type CacheUse, ExplicitCache } from "./explicit-cache.ts";
import { firstDifference } from "./first-difference.ts";
import type { LedgerEntry } from "./ledger-entry.ts";
import { openingOf, type Prompt, type PromptBlock } from "./prompt-blocks.ts";
import { type LedgerTotals, reportOf, totalsOf } from "./totals.ts";

interface Remembered {
  readonly prompt: Prompt;
  readonly messageCount: number;
}

interface Comparison {
  readonly previous: Remembered | undefined;
  /** The previous request belongs to the same conversation, so all of it should come back. */
  readonly isContinued: boolean;
}

const readRate = 0.1;
const writeRate = 1.25;
const hourWriteRate = 2;
const dayMs = 86_400_000;

/** What prompt caching did with every answered request, and what it could have done. */
export class CacheLedger {
  readonly #entries: LedgerEntry[] = [];
  readonly #explicit: ExplicitCache;
  readonly #automatic = new AutomaticCache();
  readonly #minimumTokens: number;
  readonly #byConversation = new Map<string, Remembered>();
  readonly #byModel = new Map<string, Remembered>();

  constructor(options: { readonly minimumTokens: number }) {
    this.#minimumTokens = options.minimumTokens;
    this.#explicit = new ExplicitCache(options.minimumTokens);
  }

  get entries(): readonly LedgerEntry[] {
    return this.#entries;
  }

  totals(): LedgerTotals {
    return totalsOf(this.#entries);
  }

  /** A table for people: one line per request, the breaks with their place, and the totals. */
  report(): string {
    return reportOf(this.#entries);
  }

  /** Called once for every request that a model really read; failures before that cost nothing. */
  record(request: ReceivedRequest, prompt: Prompt, nowMs: number): LedgerEntry {
    const { protocol, model, body } = request;
    const { blocks, bytes } = prompt;
    const scope = `${protocol}\n${model}`;
    const isExplicit = protocol === "anthropic" || (protocol === "chat" && blocks.some((block) => block.mark));
    const lifetimeMs = body.prompt_cache_retention === "24h" ? dayMs : 300_000;
    const use = isExplicit
      ? this.#explicit.use(scope, blocks, nowMs)
      : this.#automatic.use(scope, bytes, { nowMs, lifetimeMs });
    const now: Remembered = { prompt, messageCount: request.messages.length };
    const comparison = this.#compare(scope, now);
    const entry = this.#assess(request, { now, comparison, use, isExplicit });
    this.#entries.push(entry);
    return entry;
  }

  /** Fewer messages than before means a fresh start (a new session, or a compressed one), not a continuation. */
  #compare(scope: string, now: Remembered): Comparison {
    const key = `${scope}\n${openingOf(now.prompt.blocks)}`;
    const same = this.#byConversation.get(key);
    const isContinued = same !== undefined && now.messageCount >= same.messageCount;
    const previous = isContinued ? same : this.#byModel.get(scope);
    this.#byConversation.set(key, now);
    this.#byModel.set(scope, now);
    return { previous, isContinued };
  }

  #assess(request: ReceivedRequest, facts: Facts): LedgerEntry {
    const { now, comparison, use, isExplicit } = facts;
    const { previous, isContinued } = comparison;
    const { blocks, bytes, tokens: inputTokens } = now.prompt;
    const uncached = inputTokens - use.cacheRead - use.cacheWrite;
    const reusable = Math.min(inputTokens, this.#reusableTokens(facts));
    const difference =
      isContinued && previous !== undefined ? firstDifference(previous.prompt.blocks, blocks) : undefined;
    const hasHourMark = blocks.some((block) => block.mark === "1h");
    const freshRate = !isExplicit || inputTokens < this.#minimumTokens ? 1 : hasHourMark ? hourWriteRate : writeRate;
    return {
      requestNumber: request.number,
      protocol: request.protocol,
      model: request.model,
      mode: isExplicit ? "explicit" : "automatic",
      inputTokens,
      ...use,
      uncached,
      missed: Math.max(0, reusable - use.cacheRead),
      bytes: bytes.length,
      prefixBytesShared: previous === undefined ? 0 : sharedBytes(previous.prompt.bytes, bytes),
      ...(difference === undefined ? {} : { firstDifference: difference }),
      cost:
        uncached +
        use.cacheRead * readRate +
        (use.cacheWrite - use.cacheWrite1h) * writeRate +
        use.cacheWrite1h * hourWriteRate,
      idealCost: reusable * readRate + (inputTokens - reusable) * freshRate,
    };
  }

  /** A continued conversation should read all it sent before; any other request what it happens to share. */
  #reusableTokens({ now, comparison, isExplicit }: Facts): number {
    const { previous, isContinued } = comparison;
    if (previous === undefined) return 0;
    const bytes = isContinued
      ? previous.prompt.bytes.length
      : isExplicit
        ? sharedBlockBytes(previous.prompt.blocks, now.prompt.blocks)
        : sharedBytes(previous.prompt.bytes, now.prompt.bytes);
    if (isExplicit) {
      const tokens = tokensInBytes(bytes);
      return tokens >= this.#minimumTokens ? tokens : 0;
    }
    const tokens = Math.floor(bytes / 4 / automaticStepTokens) * automaticStepTokens;
    return tokens >= automaticMinimumTokens ? tokens : 0;
  }
}

interface Facts {
  readonly now: Remembered;
  readonly comparison: Comparison;
  readonly use: CacheUse;
  readonly isExplicit: boolean;
}

function sharedBytes(left: Buffer, right: Buffer): number {
  const length = Math.min(left.length, right.length);
  let at = 0;
  // Long equal stretches are the rule: compare them in pages before looking at single bytes.
  const page = 4096;
  while (at + page <= length && left.compare(right, at, at + page, at, at + page) === 0) at += page;
  while (at < length && left[at] === right[at]) at += 1;
  return at;
}

function sharedBlockBytes(left: readonly PromptBlock[], right: readonly PromptBlock[]): number {
  let bytes = 0;
  for (const [index, block] of left.entries()) {
    const other = right[index];
    if (other === undefined || other.text !== block.text || other.salt !== block.salt) break;
    bytes += Buffer.byteLength(block.text);
  }
  return bytes;
}

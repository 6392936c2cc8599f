import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { ensureDir, readTextFile, writeFileAtomic } from "#foundation/files/files";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import { parseRetryAfter } from "#foundation/time/retry";
import { nous } from "../providers/records/aggregators.ts";
import { blockedUntilMs, type RateLimits, readRateLimits } from "../rate-limits.ts";
import type { Target } from "../target.ts";

/** An allowance that fills again sooner than this is throttling, not a limit of the account. */
const shortestLimitMs = 60_000;

/**
 * Remembers, for every process of the home, that the Nous account has used up its allowance. A refusal
 * without an empty bucket, in it or in the last good answer, means only that a server upstream is busy, and
 * is not remembered. An answer opens the door again.
 */
export class NousGuard {
  readonly #path: string;
  readonly #clock: Clock;
  #lastGood: RateLimits = {};

  /** `path` is `rate_limits/nous.json` of the home. */
  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
  }

  /** Until when Nous is to be passed over; undefined when it may be asked. */
  async blockedUntilMs(): Promise<number | undefined> {
    const text = await readTextFile(this.#path, { maxBytes: 10_000 });
    const parsed = text === undefined ? undefined : parseJson(text);
    if (parsed?.ok !== true || !isRecord(parsed.value)) return undefined;
    const { reset_at: resetAt } = parsed.value;
    if (typeof resetAt !== "number") return undefined;
    const untilMs = resetAt * 1000;
    return untilMs > this.#clock.now() ? untilMs : undefined;
  }

  /** Notes a 429. True when it was a limit of the account. */
  async noteRefusal(headers: Readonly<Record<string, string>>): Promise<boolean> {
    const nowMs = this.#clock.now();
    const untilMs = this.#limitEndMs(headers, nowMs);
    if (untilMs === undefined) return false;
    await ensureDir(dirname(this.#path), 0o700);
    const note = { reset_at: untilMs / 1000, recorded_at: nowMs / 1000 };
    await writeFileAtomic(this.#path, `${JSON.stringify(note)}\n`, { mode: 0o600, fsync: false });
    return true;
  }

  /** Notes a good answer: whatever was remembered is over. */
  async noteAnswer(headers: Readonly<Record<string, string>>): Promise<void> {
    this.#lastGood = { ...this.#lastGood, ...readRateLimits(headers, this.#clock.now()) };
    await rm(this.#path, { force: true });
  }

  #limitEndMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
    const now = blockedUntilMs(readRateLimits(headers, nowMs) ?? {});
    if (now !== undefined) return now;
    const waitMs = hasEmptyBucket(headers) ? parseRetryAfter(headers, nowMs) : undefined;
    if (waitMs !== undefined && waitMs >= shortestLimitMs) return nowMs + waitMs;
    const before = blockedUntilMs(this.#lastGood);
    return before !== undefined && before > nowMs ? before : undefined;
  }
}

function hasEmptyBucket(headers: Readonly<Record<string, string>>): boolean {
  return Object.entries(headers).some(
    ([name, value]) => /^x-ratelimit-remaining/i.test(name) && value.trim() !== "" && Number(value) === 0,
  );
}

/** Knows which targets are closed for the whole account, also to other processes. Asked before every call. */
export interface AccountGate {
  /** Until when nothing may be sent there; undefined when it may. */
  closedUntilMs(target: Target): Promise<number | undefined>;
  /** The target refused a call for a limit; the headers say which. */
  refused(target: Target, headers: Readonly<Record<string, string>>): Promise<void>;
  answered(target: Target, headers: Readonly<Record<string, string>>): Promise<void>;
}

/** The gate over the one account whose limits are known to hold for all processes. */
export function nousGate(guard: NousGuard): AccountGate {
  const isOurs = (target: Target): boolean => target.provider === nous.id;
  return {
    closedUntilMs: (target) => (isOurs(target) ? guard.blockedUntilMs() : Promise.resolve(undefined)),
    async refused(target, headers) {
      if (isOurs(target)) await guard.noteRefusal(headers);
    },
    async answered(target, headers) {
      if (isOurs(target)) await guard.noteAnswer(headers);
    },
  };
}

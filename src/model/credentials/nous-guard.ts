import { dirname } from "node:path";
import type { Clock } from "#foundation/clock";
import { ensureDir, readTextFile, writeFileAtomic } from "#foundation/files";
import { isRecord, parseJson } from "#foundation/json";
import { parseRetryAfter } from "#foundation/retry";

/**
 * Remembers, for every process of the home, that the Nous account has used up its allowance. A refusal
 * without an empty bucket means only that a server upstream is busy, and is not remembered.
 */
export class NousGuard {
  readonly #path: string;
  readonly #clock: Clock;

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
    if (!hasEmptyBucket(headers)) return false;
    const waitMs = parseRetryAfter(headers, this.#clock.now());
    if (waitMs === undefined || waitMs <= 0) return false;
    const nowMs = this.#clock.now();
    await ensureDir(dirname(this.#path), 0o700);
    const note = { reset_at: (nowMs + waitMs) / 1000, recorded_at: nowMs / 1000 };
    await writeFileAtomic(this.#path, `${JSON.stringify(note)}\n`, { mode: 0o600, fsync: false });
    return true;
  }
}

function hasEmptyBucket(headers: Readonly<Record<string, string>>): boolean {
  return Object.entries(headers).some(
    ([name, value]) => /^x-ratelimit-remaining/i.test(name) && value.trim() !== "" && Number(value) === 0,
  );
}

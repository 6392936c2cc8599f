import { timingSafeEqual } from "node:crypto";
import type { Clock } from "#foundation/time/clock";
import { ApiError } from "./api-error.ts";
import { type ApiKey, type ApiSettings, type Scope, scopes, sha256 } from "./settings.ts";

/** Who makes a call, and what they may do. */
export type Caller = Omit<ApiKey, "sha256">;

/** Knows the keys, and how often each was used in the last minute. */
export class Callers {
  readonly #settings: ApiSettings;
  readonly #clock: Clock;
  readonly #calls = new Map<string, number[]>();
  readonly #anybody: Caller;

  constructor(settings: ApiSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
    this.#anybody = {
      name: "owner",
      scopes: new Set(scopes),
      callsPerMinute: settings.callsPerMinute,
      userId: undefined,
    };
  }

  /** Whoever brings this header; refuses a key that is none. */
  identify(authorization: string | null): Caller {
    if (this.#settings.keys.length === 0) return this.#anybody;
    const [, brought = ""] = /^Bearer +(.+)$/i.exec(authorization?.trim() ?? "") ?? [];
    const hash = Buffer.from(sha256(brought), "hex");
    // Every key is compared, so that the time says nothing about which of them it was.
    let found: ApiKey | undefined;
    for (const key of this.#settings.keys) if (timingSafeEqual(hash, Buffer.from(key.sha256, "hex"))) found = key;
    if (found === undefined || brought === "") throw new ApiError(401, "Invalid API key", { code: "invalid_api_key" });
    return found;
  }

  /** Counts a call; refuses it when there were too many in a minute. */
  count({ name, callsPerMinute }: Caller): void {
    if (callsPerMinute === 0) return;
    const nowMs = this.#clock.now();
    const recent = (this.#calls.get(name) ?? []).filter((atMs) => atMs > nowMs - 60_000 && atMs <= nowMs);
    if (recent.length >= callsPerMinute) {
      const waitMs = 60_000 - (nowMs - (recent[0] ?? nowMs));
      throw new ApiError(429, "Too many calls in a minute.", {
        code: "rate_limit_exceeded",
        retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
      });
    }
    this.#calls.set(name, [...recent, nowMs]);
  }
}

export function mayDo({ scopes: owned }: Caller, scope: Scope): boolean {
  return owned.has(scope) || owned.has("admin");
}

export function demandScope(caller: Caller, scope: Scope): void {
  if (!mayDo(caller, scope))
    throw new ApiError(403, `This key may not be used for ${scope}.`, { code: "insufficient_scope" });
}

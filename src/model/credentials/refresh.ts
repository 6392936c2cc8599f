import { defined } from "#foundation/defined";
import { deadline, raceAbort } from "#foundation/lifecycle/abort";
import { Secret } from "#foundation/secrets/secret";
import type { Clock } from "#foundation/time/clock";
import type { LoginSlot, StoredLogin } from "./login-slot.ts";
import { type AccessToken, CredentialUnavailableError, type TokenSource } from "./scoped.ts";

/** Why a login gives no token. The codes are stable; people see message and hint. */
export interface LoginFailure {
  readonly kind: "failure";
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export type RenewResult = { readonly kind: "renewed"; readonly login: StoredLogin } | LoginFailure;

export interface RenewingOptions {
  readonly slot: LoginSlot;
  /** How long before its end a token counts as used up. */
  readonly earlyMs: number;
  readonly clock: Clock;
  /** One call to the service. The result is stored before anyone uses it. */
  renew(login: StoredLogin, signal: AbortSignal): Promise<RenewResult>;
  /** Said when nobody is logged in. */
  readonly missing: Omit<LoginFailure, "kind">;
  headers?(login: StoredLogin): Readonly<Record<string, string>>;
  /** The longest a renewal may take, including the wait for another process. */
  readonly timeoutMs?: number;
}

/**
 * A token that renews itself. Invariants:
 *
 * 1. At most one renewal at a time: one promise within the process, one lock between processes.
 * 2. Who gets the lock looks at the store again first; a token another process put there is used as it is.
 * 3. A renewed login is on disk before it is returned, since the old refresh token no longer works.
 * 4. A caller that gives up does not stop the renewal the others wait for.
 */
export class RenewingTokens implements TokenSource {
  readonly #options: RenewingOptions;
  #held: StoredLogin | undefined;
  #renewal: Promise<RenewResult> | undefined;

  constructor(options: RenewingOptions) {
    this.#options = options;
  }

  get secrets(): readonly Secret[] {
    const held = this.#held;
    if (held === undefined) return [];
    return [held.accessToken, held.refreshToken].filter((text) => text !== undefined).map((text) => new Secret(text));
  }

  async current(signal: AbortSignal): Promise<AccessToken> {
    const login = this.#held ?? (await this.#options.slot.read(signal));
    if (login === undefined) throw toError(this.#options.missing);
    this.#held = login;
    if (this.#isFresh(login)) return this.#toToken(login);
    const result = await this.#renewOnce(login, signal);
    if (result.kind === "failure") throw toError(result);
    return this.#toToken(result.login);
  }

  async renew(signal: AbortSignal): Promise<boolean> {
    const login = this.#held ?? (await this.#options.slot.read(signal));
    if (login === undefined) return false;
    return (await this.#renewOnce(login, signal)).kind === "renewed";
  }

  #isFresh(login: StoredLogin): boolean {
    return login.expiresAtMs === undefined || this.#options.clock.now() < login.expiresAtMs - this.#options.earlyMs;
  }

  #toToken(login: StoredLogin): AccessToken {
    const headers = this.#options.headers?.(login);
    return {
      secret: new Secret(login.accessToken),
      ...defined({ expiresAtMs: login.expiresAtMs, headers }),
    };
  }

  #renewOnce(stale: StoredLogin, signal: AbortSignal): Promise<RenewResult> {
    this.#renewal ??= this.#renewUnderLock(stale).finally(() => {
      this.#renewal = undefined;
    });
    return raceAbort(this.#renewal, signal);
  }

  async #renewUnderLock(stale: StoredLogin): Promise<RenewResult> {
    const { slot, missing } = this.#options;
    using limit = deadline(this.#options.timeoutMs ?? 60_000);
    const result = await slot.exclusively(async (access): Promise<RenewResult> => {
      const stored = await access.read();
      if (stored === undefined) return { kind: "failure", ...missing };
      if (stored.accessToken !== stale.accessToken && this.#isFresh(stored)) return { kind: "renewed", login: stored };
      const renewed = await this.#options.renew(stored, limit.signal);
      if (renewed.kind === "renewed") {
        await access.write(renewed.login);
        return renewed;
      }
      // A program that shares the file but not the lock may have been faster.
      const again = await access.read();
      const isNewer = again !== undefined && again.accessToken !== stored.accessToken && this.#isFresh(again);
      return isNewer ? { kind: "renewed", login: again } : renewed;
    }, limit.signal);
    if (result.kind === "renewed") this.#held = result.login;
    return result;
  }
}

export function toError(failure: Omit<LoginFailure, "kind">): CredentialUnavailableError {
  return new CredentialUnavailableError(failure.message, { code: failure.code, hint: failure.hint });
}

import { defined } from "#foundation/defined";
import type { CredentialHandle } from "../credential-handle.ts";
import type { ModelFailure } from "../failures/failure.ts";
import type { CredentialPool, PoolMember } from "./pool/pool.ts";

/** What to do about an attempt that failed because of its credential. */
export type RecoveryStep =
  | { readonly kind: "retry"; readonly why: "same-again" | "refreshed" }
  | {
      readonly kind: "retry";
      readonly why: "rotated";
      readonly handle: CredentialHandle;
      /** The address the new credential belongs to; undefined where all share one. */
      readonly baseUrl: string | undefined;
    }
  /** Nothing here can help: the fallback chain is next. */
  | { readonly kind: "give-up"; readonly untilMs?: number }
  | { readonly kind: "not-ours" };

export interface RecoveryOptions {
  readonly handle: CredentialHandle;
  readonly pool?: CredentialPool;
  /** The target with another credential of the pool, at the address that credential is for. */
  readonly retarget?: ((member: PoolMember, handle: CredentialHandle) => { readonly baseUrl: string }) | undefined;
}

/**
 * The order of rescue for one failing call: the credential renews itself, once; then the pool hands out
 * another; then the fallback chain. Make a new one for each call.
 */
export class CredentialRecovery {
  readonly #options: RecoveryOptions;
  readonly #refreshed = new Set<string>();
  #handle: CredentialHandle;

  constructor(options: RecoveryOptions) {
    this.#options = options;
    this.#handle = options.handle;
  }

  async next(failure: ModelFailure, signal: AbortSignal): Promise<RecoveryStep> {
    if (failure.kind === "auth" && (await this.#refresh(signal))) return { kind: "retry", why: "refreshed" };
    const { pool } = this.#options;
    if (pool === undefined) return { kind: isOurs(failure) ? "give-up" : "not-ours" };
    const verdict = await pool.failed(this.#handle.id, failure, signal);
    switch (verdict.kind) {
      case "not-ours":
        return verdict;
      case "same-again":
        return { kind: "retry", why: "same-again" };
      case "rotated":
        this.#handle = verdict.handle;
        return { kind: "retry", why: "rotated", handle: verdict.handle, baseUrl: this.#addressOf(verdict) };
      case "exhausted":
        return { kind: "give-up", ...defined({ untilMs: verdict.untilMs }) };
    }
  }

  /** A credential without an address of its own belongs to the provider's, not to that of the one before it. */
  #addressOf({
    member,
    handle,
  }: {
    readonly member: PoolMember;
    readonly handle: CredentialHandle;
  }): string | undefined {
    return this.#options.retarget?.(member, handle).baseUrl ?? member.baseUrl;
  }

  /** The call worked in the end. */
  async succeeded(signal: AbortSignal): Promise<void> {
    await this.#options.pool?.succeeded(this.#handle.id, signal);
  }

  async #refresh(signal: AbortSignal): Promise<boolean> {
    if (this.#refreshed.has(this.#handle.id)) return false;
    this.#refreshed.add(this.#handle.id);
    return this.#handle.refresh(signal);
  }
}

function isOurs(failure: ModelFailure): boolean {
  return ["auth", "auth_permanent", "billing", "rate_limit"].includes(failure.kind);
}

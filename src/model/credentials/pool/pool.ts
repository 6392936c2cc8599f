import { defined } from "#foundation/defined";
import { disposable } from "#foundation/lifecycle/disposal";
import type { Secret } from "#foundation/secrets/secret";
import type { Clock } from "#foundation/time/clock";
import type { CredentialHandle } from "../../credential-handle.ts";
import type { ModelFailure } from "../../failures/failure.ts";
import type { AuthFile } from "../auth-file.ts";
import { poolOf, suppressedSources, withPool, withSuppressed } from "../auth-state.ts";
import { isManual, newEntryId, type PoolEntry } from "../pool-entry.ts";
import type { FoundCredential } from "../sources.ts";
import { type CooldownSettings, defaultCooldown, restUntilMs } from "./cooldown.ts";
import { joinMembers, type PoolMember } from "./pool-members.ts";
import { newPoolState, type PoolState } from "./pool-memory.ts";
import { chooseEntry, type PoolStrategy } from "./pool-strategy.ts";

export type { PoolMember } from "./pool-members.ts";

export interface BorrowedCredential extends Disposable {
  readonly member: PoolMember;
  readonly handle: CredentialHandle;
}

export type PoolPick =
  | { readonly kind: "credential"; readonly member: PoolMember; readonly handle: CredentialHandle }
  /** All of them rest; the first one is back at `untilMs`. */
  | { readonly kind: "exhausted"; readonly untilMs: number }
  | { readonly kind: "empty" };

/** What to do after an attempt failed with a credential of the pool. */
export type PoolVerdict =
  | { readonly kind: "same-again" }
  | { readonly kind: "rotated"; readonly member: PoolMember; readonly handle: CredentialHandle }
  /** No other credential can help: go to the fallback chain rather than wait. */
  | { readonly kind: "exhausted"; readonly untilMs?: number }
  /** A failure that another credential would meet just the same. */
  | { readonly kind: "not-ours" };

export interface PoolOptions {
  /** A provider's id, or `custom:<name>`. */
  readonly key: string;
  readonly authFile: AuthFile;
  /** What the sources hold now; entries of other automatic sources vanish. */
  readonly found: readonly FoundCredential[];
  openHandle(member: PoolMember): CredentialHandle;
  readonly strategy?: PoolStrategy;
  readonly cooldown?: CooldownSettings;
  readonly clock: Clock;
  readonly random?: () => number;
  /** Shared by all who open this pool in the process; one of its own when left out. */
  readonly state?: PoolState;
}

/**
 * Several credentials of one provider. Invariants:
 *
 * 1. Which entries rest is read from the store before each choice and written on each change, so every
 *    process of the home sees the same.
 * 2. Values of the environment are not copied to disk; the store keeps only their state.
 * 3. Entries a person added are removed by a person only.
 */
export class CredentialPool {
  readonly key: string;
  readonly #options: PoolOptions;
  readonly #handles = new Map<string, CredentialHandle>();
  readonly #state: PoolState;

  constructor(options: PoolOptions) {
    this.key = options.key;
    this.#options = options;
    this.#state = options.state ?? newPoolState();
  }

  /** All entries, resting ones too, in order of priority. */
  async members(signal: AbortSignal): Promise<readonly PoolMember[]> {
    const state = await this.#options.authFile.read(signal);
    return joinMembers(poolOf(state, this.key), this.#options.found, suppressedSources(state, this.key));
  }

  /** The next credential to use. `except` leaves out one that was just refused. */
  async take(signal: AbortSignal, except?: string): Promise<PoolPick> {
    return this.#pick((await this.members(signal)).filter((member) => member.id !== except));
  }

  /** A credential for one who works beside others, `own` of whom is held already: the one that the fewest hold, until it is given back. */
  async borrow(own: string, signal: AbortSignal): Promise<BorrowedCredential | undefined> {
    const members = await this.members(signal);
    using _own = this.lease(own);
    const pick = this.#pick(members);
    if (pick.kind !== "credential") return undefined;
    const lease = this.lease(pick.member.id);
    return { member: pick.member, handle: pick.handle, [Symbol.dispose]: () => lease[Symbol.dispose]() };
  }

  #pick(members: readonly PoolMember[]): PoolPick {
    const nowMs = this.#options.clock.now();
    const [first, ...others] = members.filter((member) => (member.exhausted?.untilMs ?? 0) <= nowMs);
    if (first === undefined) {
      const until = members.map((member) => member.exhausted?.untilMs ?? 0);
      return until.length === 0 ? { kind: "empty" } : { kind: "exhausted", untilMs: Math.min(...until) };
    }
    const counted = [first, ...others].map((member) => this.#counted(member));
    const chosen = chooseEntry(counted as [PoolMember, ...PoolMember[]], this.#options.strategy ?? "fill_first", {
      lastId: this.#state.lastId,
      leases: this.#state.leases,
      random: this.#options.random ?? Math.random,
    });
    this.#state.lastId = chosen.id;
    this.#state.taken.set(chosen.id, (this.#state.taken.get(chosen.id) ?? 0) + 1);
    return { kind: "credential", member: chosen, handle: this.#handleOf(chosen) };
  }

  /** Says that somebody works with this entry; parallel workers spread over the others. */
  lease(id: string): Disposable {
    this.#state.leases.set(id, (this.#state.leases.get(id) ?? 0) + 1);
    return disposable(() => this.#state.leases.set(id, Math.max(0, (this.#state.leases.get(id) ?? 1) - 1)));
  }

  /** An attempt worked: the entry is well, and its rate-limit memory is gone. */
  async succeeded(id: string, signal: AbortSignal): Promise<void> {
    this.#state.limitedOnce.delete(id);
    const member = (await this.members(signal)).find((one) => one.id === id);
    if (member?.exhausted !== undefined) await this.#change(id, ({ exhausted: _gone, ...entry }) => entry, signal);
  }

  /** An attempt failed: rests the entry where that is called for, and says what comes next. */
  async failed(id: string, failure: ModelFailure, signal: AbortSignal): Promise<PoolVerdict> {
    if (!["rate_limit", "billing", "auth", "auth_permanent"].includes(failure.kind)) return { kind: "not-ours" };
    const others = (await this.members(signal)).filter((member) => member.id !== id);
    if (failure.kind === "rate_limit" && others.length > 0 && !this.#state.limitedOnce.has(id)) {
      this.#state.limitedOnce.add(id);
      return { kind: "same-again" };
    }
    const untilMs = restUntilMs(failure, this.#options.cooldown ?? defaultCooldown, this.#options.clock.now());
    // Resting the only credential would lock the person out of a provider that may answer in a minute.
    if (others.length === 0) return { kind: "exhausted", untilMs };
    this.#state.limitedOnce.delete(id);
    await this.#change(id, (entry) => ({ ...entry, exhausted: exhaustionOf(failure, untilMs) }), signal);
    const pick = await this.take(signal, id);
    switch (pick.kind) {
      case "credential":
        return { kind: "rotated", member: pick.member, handle: pick.handle };
      case "exhausted":
        return { kind: "exhausted", untilMs: pick.untilMs };
      case "empty":
        return { kind: "exhausted", untilMs };
    }
  }

  /** Adds an entry of the person's own; one that was suppressed before is welcome again. */
  async add(input: AddedCredential, signal: AbortSignal): Promise<string> {
    const id = newEntryId();
    const { authFile } = this.#options;
    await authFile.update((state) => {
      const entries = poolOf(state, this.key);
      const entry: PoolEntry = {
        id,
        label: input.label ?? `credential ${entries.length + 1}`,
        authType: input.authType ?? "api_key",
        priority: input.priority ?? entries.length,
        source: "manual",
        accessToken: input.secret,
        ...defined({ refreshToken: input.refreshToken, expiresAtMs: input.expiresAtMs, baseUrl: input.baseUrl }),
        requestCount: 0,
        rest: {},
      };
      return withPool(state, this.key, [...entries, entry]);
    }, signal);
    return id;
  }

  /** Takes an entry away for good: a manual one is deleted, the source of an automatic one is suppressed. */
  async remove(id: string, signal: AbortSignal): Promise<boolean> {
    const member = (await this.members(signal)).find((one) => one.id === id);
    if (member === undefined) return false;
    await this.#options.authFile.update((state) => {
      const entries = poolOf(state, this.key).filter((entry) => entry.id !== id && entry.source !== member.source);
      const kept = isManual(member) ? poolOf(state, this.key).filter((entry) => entry.id !== id) : entries;
      const cleared = withPool(state, this.key, kept);
      if (isManual(member)) return cleared;
      return withSuppressed(cleared, this.key, [...suppressedSources(state, this.key), member.source]);
    }, signal);
    this.#handles.delete(id);
    return true;
  }

  /** Ends every rest and lets removed sources come back, as `hermes auth reset` does. */
  async reset(signal: AbortSignal): Promise<void> {
    this.#state.limitedOnce.clear();
    await this.#options.authFile.update((state) => {
      const entries = poolOf(state, this.key).map(({ exhausted: _gone, ...entry }) => entry);
      return withSuppressed(withPool(state, this.key, entries), this.key, []);
    }, signal);
  }

  #counted(member: PoolMember): PoolMember {
    return { ...member, requestCount: member.requestCount + (this.#state.taken.get(member.id) ?? 0) };
  }

  #handleOf(member: PoolMember): CredentialHandle {
    const known = this.#handles.get(member.id);
    if (known !== undefined) return known;
    const handle = this.#options.openHandle(member);
    this.#handles.set(member.id, handle);
    return handle;
  }

  /** Changes the stored state of one entry; an automatic one is stored from now on, without its value. */
  async #change(id: string, change: (entry: PoolEntry) => PoolEntry, signal: AbortSignal): Promise<void> {
    await this.#options.authFile.update((state) => {
      const stored = poolOf(state, this.key);
      const members = joinMembers(stored, this.#options.found, suppressedSources(state, this.key));
      const entries = members.map((member) => {
        const entry = this.#counted(member).toEntry();
        return member.id === id ? change(entry) : entry;
      });
      return withPool(state, this.key, entries);
    }, signal);
    this.#state.taken.clear();
  }
}

export interface AddedCredential {
  readonly secret: Secret;
  readonly label?: string;
  readonly authType?: PoolEntry["authType"];
  readonly refreshToken?: Secret;
  readonly expiresAtMs?: number;
  readonly baseUrl?: string;
  readonly priority?: number;
}

function exhaustionOf(failure: ModelFailure, untilMs: number): PoolEntry["exhausted"] {
  return {
    untilMs,
    reason: failure.kind,
    message: failure.message,
    ...defined({ code: failure.status }),
  };
}

import { defined } from "#foundation/defined";
import type { FailureKind, ModelFailure } from "../failures/failure.ts";
import type { FallbackEntry } from "./chain.ts";

/** Why and until when the primary is left alone after a turn that had to leave it. */
interface PrimaryRest {
  readonly reason: FailureKind;
  readonly untilMs: number;
}

/**
 * Where a session stands in its chain. A value: every step gives a new one, so nobody ever sees a
 * session half switched.
 */
export interface FallbackState {
  readonly chain: readonly FallbackEntry[];
  /** Index of the entry in use; undefined means the primary. */
  readonly active?: number;
  /** The first entry this turn has not tried. */
  readonly next: number;
  readonly rest?: PrimaryRest;
}

export function openFallback(chain: readonly FallbackEntry[]): FallbackState {
  return { chain, next: 0 };
}

export function hasFallbackLeft(state: FallbackState): boolean {
  return state.next < state.chain.length;
}

const shortestRestMs = 60_000;
const longestRestMs = 15 * 60_000;

/** A new user message: back to the primary with the whole chain, unless the primary is known to be closed still. */
export function beginTurn(state: FallbackState, nowMs: number): FallbackState {
  const { chain, rest, active } = state;
  if (rest !== undefined && active !== undefined && nowMs < rest.untilMs)
    return { chain, rest, active, next: active + 1 };
  return { chain, next: 0 };
}

/** Takes the next entry, whether it will turn out usable or not; each is taken once per turn. */
export function takeNext(
  state: FallbackState,
): { readonly index: number; readonly entry: FallbackEntry; readonly state: FallbackState } | undefined {
  const entry = state.chain[state.next];
  if (entry === undefined) return undefined;
  return { index: state.next, entry, state: { ...state, next: state.next + 1 } };
}

/** The switch itself happened. Leaving the primary for a limit lets it rest until the limit opens again. */
export function activated(
  state: FallbackState,
  index: number,
  left: { failure: ModelFailure; nowMs: number },
): FallbackState {
  const isFromPrimary = state.active === undefined;
  const rest = isFromPrimary ? restOf(left.failure, left.nowMs) : state.rest;
  const { rest: _before, ...others } = state;
  return { ...others, active: index, next: Math.max(state.next, index + 1), ...defined({ rest }) };
}

function restOf(failure: ModelFailure, nowMs: number): PrimaryRest | undefined {
  if (failure.kind !== "rate_limit" && failure.kind !== "billing") return undefined;
  const announced = Math.min(failure.resetAtMs ?? 0, nowMs + longestRestMs);
  return { reason: failure.kind, untilMs: Math.max(nowMs + shortestRestMs, announced) };
}

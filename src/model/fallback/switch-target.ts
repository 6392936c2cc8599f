import { defined } from "#foundation/defined";
import type { Logger } from "#foundation/files/logger";
import type { FailureKind, ModelFailure } from "../failures/failure.ts";
import type { TargetRequest } from "../resolve/context.ts";
import type { Target } from "../target.ts";
import { type FallbackEntry, requestFor } from "./chain.ts";
import { activated, type FallbackState, takeNext } from "./state.ts";

/** One change of model, as it is stored and counted. */
export interface FallbackEvent {
  readonly from: { readonly provider: string; readonly model: string };
  readonly to: { readonly provider: string; readonly model: string };
  readonly reason: FailureKind;
  readonly status?: number;
  readonly atMs: number;
}

export type SwitchOutcome =
  | {
      readonly kind: "switched";
      readonly state: FallbackState;
      readonly target: Target;
      readonly event: FallbackEvent;
      /** For the person: what failed, why, and what answers now. */
      readonly notice: string;
    }
  | { readonly kind: "exhausted"; readonly state: FallbackState };

export interface SwitchDeps {
  resolve(
    wanted: TargetRequest,
    signal: AbortSignal,
  ): Promise<
    { readonly kind: "target"; readonly target: Target } | { readonly kind: "failure"; readonly message: string }
  >;
  readonly logger: Logger;
  readonly nowMs: number;
}

/**
 * Moves to the next usable entry. Entries without a credential are passed over with a log line, and
 * so are entries that would meet the same obstacle: the model that just failed, or, after a block by
 * an account setting, anything at the same provider.
 */
export async function switchTarget(
  failed: { readonly state: FallbackState; readonly target: Target; readonly failure: ModelFailure },
  deps: SwitchDeps,
  signal: AbortSignal,
): Promise<SwitchOutcome> {
  const { target: from, failure } = failed;
  let { state } = failed;
  for (let taken = takeNext(state); taken !== undefined; taken = takeNext(state)) {
    state = taken.state;
    const { entry, index } = taken;
    const obstacle = await obstacleTo(entry, { index, from, failure }, { deps, signal });
    if (obstacle.kind === "skip") {
      deps.logger.warn("fallback entry skipped", {
        provider: entry.provider,
        model: entry.model,
        reason: obstacle.reason,
      });
      continue;
    }
    const { target } = obstacle;
    const event = eventOf(from, target, { failure, nowMs: deps.nowMs });
    return {
      kind: "switched",
      state: activated(state, index, { failure, nowMs: deps.nowMs }),
      target,
      event,
      notice: `${from.model} at ${from.providerLabel} failed (${failure.kind.replaceAll("_", " ")}); now using ${target.model} via ${target.providerLabel}.`,
    };
  }
  return { kind: "exhausted", state };
}

async function obstacleTo(
  entry: FallbackEntry,
  at: { readonly index: number; readonly from: Target; readonly failure: ModelFailure },
  { deps, signal }: { readonly deps: SwitchDeps; readonly signal: AbortSignal },
): Promise<{ kind: "skip"; reason: string } | { kind: "usable"; target: Target }> {
  const resolved = await deps.resolve(requestFor(entry, `fallback ${at.index + 1}`), signal);
  if (resolved.kind === "failure") return { kind: "skip", reason: resolved.message };
  const { target } = resolved;
  const { from, failure } = at;
  if (target.provider === from.provider && target.model === from.model && target.baseUrl === from.baseUrl)
    return { kind: "skip", reason: "it is the model that just failed" };
  if (failure.kind === "provider_policy_blocked" && target.provider === from.provider)
    return { kind: "skip", reason: "the same account setting would block it" };
  return { kind: "usable", target };
}

function eventOf(
  from: Target,
  to: Target,
  at: { readonly failure: ModelFailure; readonly nowMs: number },
): FallbackEvent {
  return {
    from: { provider: from.provider, model: from.model },
    to: { provider: to.provider, model: to.model },
    reason: at.failure.kind,
    ...defined({ status: at.failure.status }),
    atMs: at.nowMs,
  };
}

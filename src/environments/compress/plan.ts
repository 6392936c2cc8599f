import type { ShareGptTurn } from "#agent";

/** The turns that are never replaced: the first of a role, and the last few. */
export interface ProtectedTurns {
  readonly first_system: boolean;
  readonly first_human: boolean;
  readonly first_gpt: boolean;
  readonly first_tool: boolean;
  readonly last_n_turns: number;
}

export interface CompressionLimits {
  readonly targetTokens: number;
  readonly summaryTokens: number;
  readonly protectedTurns: ProtectedTurns;
  /** A call and its result are replaced together or not at all. */
  readonly alignsToPairs: boolean;
}

export type CompressionPlan =
  /** It is short enough. */
  | { readonly kind: "fits" }
  /** Everything that could be replaced is protected. */
  | { readonly kind: "stuck" }
  | { readonly kind: "replace"; readonly start: number; readonly until: number };

type Turn = Pick<ShareGptTurn, "from">;

/** Which turns of a trajectory give way to a summary, from what they count in tokens. */
export function planCompression(
  turns: readonly Turn[],
  counts: readonly number[],
  limits: CompressionLimits,
): CompressionPlan {
  const total = sum(counts);
  if (total <= limits.targetTokens) return { kind: "fits" };
  const region = freeRegion(turns, limits.protectedTurns);
  const { end } = region;
  const start = limits.alignsToPairs ? cleanBoundary(turns, region.start, region) : region.start;
  if (start >= end) return { kind: "stuck" };
  const need = total - limits.targetTokens + limits.summaryTokens;
  let until = start;
  for (let gathered = 0; until < end && gathered < need; until += 1) gathered += counts[until] ?? 0;
  if (limits.alignsToPairs) until = cleanBoundary(turns, until, { start, end });
  return until <= start ? { kind: "stuck" } : { kind: "replace", start, until };
}

interface Region {
  readonly start: number;
  readonly end: number;
}

/** Between the protected turns of the first half and those of the second. */
function freeRegion(turns: readonly Turn[], kept: ProtectedTurns): Region {
  const first = (role: string): number => turns.findIndex(({ from }) => from === role);
  const indices = [
    ...(kept.first_system ? [first("system")] : []),
    ...(kept.first_human ? [first("human")] : []),
    ...(kept.first_gpt ? [first("gpt")] : []),
    ...(kept.first_tool ? [first("tool")] : []),
    ...[...turns.keys()].slice(Math.max(0, turns.length - kept.last_n_turns)),
  ].filter((index) => index >= 0);
  const half = Math.floor(turns.length / 2);
  return {
    start: Math.max(-1, ...indices.filter((index) => index < half)) + 1,
    end: Math.min(turns.length, ...indices.filter((index) => index >= half)),
  };
}

/** The nearest boundary that does not stand between a call and its result: forward if there is one, else backward. */
function cleanBoundary(turns: readonly Turn[], index: number, { start, end }: Region): number {
  const isClean = (at: number): boolean => turns[at]?.from !== "tool";
  let forward = index;
  while (forward < end && !isClean(forward)) forward += 1;
  if (isClean(forward)) return forward;
  let backward = index;
  while (backward > start && !isClean(backward)) backward -= 1;
  return backward;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

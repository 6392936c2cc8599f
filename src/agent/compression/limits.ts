/** The settings of `compression.*`. */
export interface CompressionSettings {
  readonly isEnabled: boolean;
  /** Share of the window that starts a compression. */
  readonly threshold: number;
  /** Share of the threshold that recent messages may take. */
  readonly targetRatio: number;
  readonly protectLastN: number;
}

/** All sizes in tokens. */
export interface CompressionLimits {
  readonly window: number;
  readonly thresholdTokens: number;
  readonly tailBudget: number;
  readonly softCeiling: number;
  readonly maxSummary: number;
  readonly protectLastN: number;
}

const smallestThreshold = 64_000;
/** A threshold at or above the window would never be reached; the answer needs room too. */
const largestShare = 0.85;
const summaryShare = 0.05;
const largestSummary = 12_000;
const smallestRatio = 0.1;
const largestRatio = 0.8;

/** Everything that follows from the window of the model in use; worked out again whenever that changes. */
export function limitsFor(window: number, settings: CompressionSettings): CompressionLimits {
  const wanted = Math.max(Math.floor(window * settings.threshold), smallestThreshold);
  return withThreshold(
    {
      window,
      maxSummary: Math.min(Math.floor(window * summaryShare), largestSummary),
      protectLastN: settings.protectLastN,
    },
    { thresholdTokens: Math.min(wanted, Math.floor(window * largestShare)), targetRatio: settings.targetRatio },
  );
}

/** The same with a lower threshold, and the tail that goes with it. */
export function lowered(limits: CompressionLimits, thresholdTokens: number, targetRatio: number): CompressionLimits {
  if (thresholdTokens >= limits.thresholdTokens) return limits;
  return withThreshold(limits, { thresholdTokens, targetRatio });
}

/** Of a request the provider refuses as too large, the end may keep this share; half as much with each further try. */
const refusedShare = 0.3;

export function tightened(limits: CompressionLimits, attempt: number, currentTokens: number): CompressionLimits {
  const divisor = 2 ** Math.max(0, attempt - 1);
  const tailBudget = Math.floor(Math.min(limits.tailBudget, refusedShare * currentTokens) / divisor);
  return {
    ...limits,
    tailBudget,
    softCeiling: Math.floor(1.5 * tailBudget),
    protectLastN: Math.floor(limits.protectLastN / divisor),
  };
}

function withThreshold(
  base: Pick<CompressionLimits, "window" | "maxSummary" | "protectLastN">,
  { thresholdTokens, targetRatio }: { readonly thresholdTokens: number; readonly targetRatio: number },
): CompressionLimits {
  const ratio = Math.min(largestRatio, Math.max(smallestRatio, targetRatio));
  const tailBudget = Math.floor(thresholdTokens * ratio);
  const { window, maxSummary, protectLastN } = base;
  return { window, maxSummary, protectLastN, thresholdTokens, tailBudget, softCeiling: Math.floor(1.5 * tailBudget) };
}

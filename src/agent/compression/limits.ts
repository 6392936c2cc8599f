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
  readonly smallestSummary: number;
  readonly maxSummary: number;
  readonly maxExtract: number;
  readonly protectLastN: number;
  /** What the first messages may take; when they take more, they are summarised like others. */
  readonly headBudget: number;
  /** A shorter transcript is left alone. */
  readonly smallestTranscript: number;
  /** So many messages stay at the end, whatever they take. */
  readonly smallestTail: number;
  /** A message that takes more goes on as an excerpt; the user's latest request never does. */
  readonly longestKept: number;
}

const smallestThreshold = 64_000;
/** A threshold at or above the window would never be reached; the answer needs room too. */
const largestShare = 0.85;
const smallestSummary = 2_000;
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
      smallestSummary,
      maxSummary: Math.min(Math.floor(window * summaryShare), largestSummary),
      maxExtract: Number.POSITIVE_INFINITY,
      protectLastN: settings.protectLastN,
      headBudget: Number.POSITIVE_INFINITY,
      smallestTranscript: 8,
      smallestTail: 3,
      longestKept: Number.POSITIVE_INFINITY,
    },
    { thresholdTokens: Math.min(wanted, Math.floor(window * largestShare)), targetRatio: settings.targetRatio },
  );
}

/** The same with a lower threshold, and the tail that goes with it. */
export function lowered(limits: CompressionLimits, thresholdTokens: number, targetRatio: number): CompressionLimits {
  if (thresholdTokens >= limits.thresholdTokens) return limits;
  return withThreshold(limits, { thresholdTokens, targetRatio });
}

/** After a compression at most this share of the window is filled, or everything that stays has been cut down to its smallest. */
export const fullestShare = 2 / 3;
const aimedShare = 0.6;
/** Where prompt and tools leave less, history gets this share of the window all the same. */
const smallestRoomShare = 0.12;
const roomShares = { head: 0.1, summary: 0.3, tail: 0.45 } as const;

/** What a request is made of, in the tokens that count for its window. */
export interface RequestSize {
  /** The system prompt, the tools, and whatever else stands in front of the history. */
  readonly fixedTokens: number;
  /** Real tokens for each one that is estimated. */
  readonly scale: number;
  /** The first messages, as estimated. */
  readonly headTokens: number;
}

/**
 * The same for a request whose fixed part leaves little room: what usually stays whatever it takes (the first and the last
 * messages, a summary of decent length) shares that room. Otherwise a compression would free so little that the
 * next turn needs another one.
 */
export function fitted(limits: CompressionLimits, { fixedTokens, scale, headTokens }: RequestSize): CompressionLimits {
  const { window } = limits;
  const free = Math.max(smallestRoomShare * window, aimedShare * window - fixedTokens);
  const room = Math.floor(free / scale);
  const usual = headTokens + limits.softCeiling + Math.max(limits.smallestSummary, limits.maxSummary);
  if (usual <= room) return limits;
  const tailBudget = Math.min(limits.tailBudget, Math.floor(roomShares.tail * room));
  const summary = Math.floor(roomShares.summary * room);
  return {
    ...limits,
    tailBudget,
    softCeiling: tailBudget,
    protectLastN: 0,
    smallestSummary: Math.min(limits.smallestSummary, summary),
    maxSummary: Math.min(Math.max(limits.maxSummary, limits.smallestSummary), summary),
    maxExtract: summary,
    headBudget: Math.floor(roomShares.head * room),
    smallestTranscript: 3,
    smallestTail: 1,
    longestKept: Math.floor(tailBudget / 2),
  };
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
  base: Omit<CompressionLimits, "thresholdTokens" | "tailBudget" | "softCeiling">,
  { thresholdTokens, targetRatio }: { readonly thresholdTokens: number; readonly targetRatio: number },
): CompressionLimits {
  const ratio = Math.min(largestRatio, Math.max(smallestRatio, targetRatio));
  const tailBudget = Math.floor(thresholdTokens * ratio);
  return { ...base, thresholdTokens, tailBudget, softCeiling: Math.floor(1.5 * tailBudget) };
}

import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import type { CredentialRecovery, FallbackEvent, SwitchDeps, Target } from "#model";
import type { ResultFiles } from "#tools";
import type { Conversation } from "../conversation.ts";
import { compressHistory } from "./compress-history.ts";
import { continueNow } from "./continue-now.ts";
import { continueTruncated } from "./continue-truncated.ts";
import { dropReasoningSignatures } from "./drop-reasoning-signatures.ts";
import { explainBadCall, explainUnreadable } from "./explain-bad-call.ts";
import { freshConnection } from "./fresh-connection.ts";
import { continueSilent, keepPartialStream } from "./keep-partial-stream.ts";
import { lowerContextTier } from "./lower-context-tier.ts";
import { nudgeAfterTools, prefillThinking, useEarlierText } from "./nudge-empty-reply.ts";
import { persistResults } from "./persist-results.ts";
import type { Remedy, RemedyContext } from "./remedy.ts";
import { renewCredential } from "./renew-credential.ts";
import { retryEmpty, retryReply } from "./retry-reply.ts";
import { scrubText } from "./scrub-text.ts";
import { shrinkMedia } from "./shrink-media.ts";
import { shrinkOutput } from "./shrink-output.ts";
import { stripUnsupported } from "./strip-unsupported.ts";
import { switchEarly, switchTargetLate } from "./switch-target.ts";
import { waitAndRetry } from "./wait-and-retry.ts";

export interface RemedyDeps {
  readonly conversation: Conversation;
  readonly clock: Clock;
  readonly logger: Logger;
  /** `agent.api_max_retries`: attempts per call, at least one. */
  readonly maxAttempts: number;
  /** `timeouts.stream_retries`: further attempts when the connection breaks before anything was said; as many as of others where left out. */
  readonly streamRetries?: number;
  /** `fallback.on_rate_limit`. */
  readonly onRateLimit: "eager" | "after_retries";
  /** Turns an entry of the fallback chain into a target. */
  readonly resolve: SwitchDeps["resolve"];
  /** The rescue of this target's credential; undefined where there is nothing to rescue. */
  credentialRecovery(target: Target): CredentialRecovery | undefined;
  /** More than one usable credential for this target. */
  canRotate(target: Target): boolean;
  /** Drops idle sockets, so that the next attempt opens its own. */
  freshConnections(): void;
  onFallback(event: FallbackEvent): void;
  /** A smaller version of an image, or undefined when that cannot be done here. */
  shrinkImage?(url: string, signal: AbortSignal): Promise<string | undefined>;
  /** A context window that an error message named, kept once a request has worked with it. */
  onWindowLearned?(target: Target, window: number): void;
  /** Where long results go when nothing else makes room. */
  readonly resultFiles?: ResultFiles;
  /** A provider that passes requests on to others: its broken connections are not ours to mend. */
  isAggregator?(target: Target): boolean;
  readonly random?: () => number;
}

/**
 * The remedies of an ordinary turn. The order matters: what mends the request comes before what waits,
 * waiting comes before going elsewhere, and giving up a model comes last. Made anew for every turn.
 */
export function standardRemedies(deps: RemedyDeps, context: RemedyContext): readonly Remedy[] {
  return [
    scrubText,
    renewCredential(deps, context),
    dropReasoningSignatures,
    shrinkMedia(deps),
    stripUnsupported(context),
    shrinkOutput,
    lowerContextTier(context),
    continueSilent,
    keepPartialStream,
    switchEarly(deps),
    compressHistory(deps, context),
    persistResults(deps),
    waitAndRetry(deps),
    freshConnection(deps),
    continueTruncated,
    ...retryReply,
    explainBadCall,
    explainUnreadable,
    continueNow,
    useEarlierText,
    nudgeAfterTools,
    prefillThinking,
    retryEmpty,
    switchTargetLate(deps),
  ];
}

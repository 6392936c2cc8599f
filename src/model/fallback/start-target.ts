import type { Logger } from "#foundation/files/logger";
import type { Resolution, TargetRequest } from "../resolve/context.ts";
import { type FallbackEntry, requestFor } from "./chain.ts";

export interface StartDeps {
  resolve(wanted: TargetRequest, signal: AbortSignal): Promise<Resolution>;
  readonly chain: readonly FallbackEntry[];
  readonly logger: Logger;
}

export interface StartedTarget {
  readonly resolution: Resolution;
  /** What is left of the chain for the turns to come. */
  readonly chain: readonly FallbackEntry[];
  /** For the person, where it is not what was asked for. */
  readonly notice?: string;
}

/** What was written wrongly is said, not worked around. */
const mistakes = new Set(["invalid_provider", "invalid_base_url", "missing_base_url", "model_not_found"]);

/**
 * The target a session starts with: what was asked for or, when that lacks a key or its login ran out, the first
 * entry of the chain that can be used. Nothing usable: the failure of what was asked for.
 */
export async function startTarget(wanted: TargetRequest, deps: StartDeps, signal: AbortSignal): Promise<StartedTarget> {
  const { chain, logger } = deps;
  const primary = await deps.resolve(wanted, signal);
  if (primary.kind === "target" || mistakes.has(primary.code)) return { resolution: primary, chain };
  for (const [index, entry] of chain.entries()) {
    const resolution = await deps.resolve(requestFor(entry, `fallback ${index + 1}`), signal);
    if (resolution.kind === "target") {
      const { model, providerLabel } = resolution.target;
      const notice = `${primary.message} Starting with ${model} via ${providerLabel} instead. ${primary.hint}`;
      return { resolution, chain: chain.slice(index + 1), notice };
    }
    const { provider, model } = entry;
    logger.warn("fallback entry skipped", { provider, model, reason: resolution.message });
  }
  return { resolution: primary, chain };
}

import type { ModelFailure } from "../../failures/failure.ts";

export interface CooldownSettings {
  readonly rateLimitMs: number;
  readonly billingMs: number;
}

export const defaultCooldown: CooldownSettings = { rateLimitMs: 3_600_000, billingMs: 86_400_000 };

/** Until when a credential rests after this failure: what the provider said, else what the settings say. */
export function restUntilMs(
  failure: Pick<ModelFailure, "kind" | "retryAfterMs" | "resetAtMs">,
  settings: CooldownSettings,
  nowMs: number,
): number {
  if (failure.resetAtMs !== undefined && failure.resetAtMs > nowMs) return failure.resetAtMs;
  if (failure.retryAfterMs !== undefined) return nowMs + failure.retryAfterMs;
  return nowMs + (failure.kind === "billing" ? settings.billingMs : settings.rateLimitMs);
}

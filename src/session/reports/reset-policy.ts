import { localMoment } from "./local-moment.ts";

/** When a chat that goes on for months begins a new session. */
export interface ResetPolicy {
  readonly mode: "daily" | "idle" | "both" | "none";
  readonly idleMinutes: number;
  /** Hour of the day, 0 to 23. */
  readonly atHour: number;
  /** IANA name; the machine's own zone when empty. */
  readonly timeZone: string;
}

export type ResetReason = "idle" | "daily";

/** Why a session that was last used then must not go on now; undefined when it may. */
export function resetDue(
  policy: ResetPolicy,
  times: { readonly lastActiveMs: number; readonly nowMs: number },
): ResetReason | undefined {
  const { mode, idleMinutes } = policy;
  const { lastActiveMs, nowMs } = times;
  if (mode === "none" || nowMs <= lastActiveMs) return undefined;
  if (mode !== "daily" && nowMs - lastActiveMs >= idleMinutes * 60_000) return "idle";
  if (mode !== "idle" && resetDay(policy, nowMs) !== resetDay(policy, lastActiveMs)) return "daily";
  return undefined;
}

/** The date that a moment belongs to when days begin at the hour of the policy, on the clock people see there. */
function resetDay(policy: ResetPolicy, ms: number): number {
  const { day, hour } = localMoment(ms, policy.timeZone);
  return hour < policy.atHour ? day - 1 : day;
}

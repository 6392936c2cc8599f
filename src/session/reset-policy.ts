/** When a chat that goes on for months begins a new session. */
export interface ResetPolicy {
  readonly mode: "daily" | "idle" | "both" | "none";
  readonly idleMinutes: number;
  /** Hour of the day, 0 to 23. */
  readonly atHour: number;
  /** IANA name; the machine's own zone when absent. */
  readonly timeZone?: string;
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
function resetDay(policy: ResetPolicy, ms: number): string {
  const parts = new Intl.DateTimeFormat("en-CA", {
    ...(policy.timeZone === undefined || policy.timeZone === "" ? {} : { timeZone: policy.timeZone }),
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    hourCycle: "h23",
  }).formatToParts(new Date(ms));
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value ?? 0);
  const day = Date.UTC(part("year"), part("month") - 1, part("day"));
  const start = part("hour") < policy.atHour ? day - 86_400_000 : day;
  return new Date(start).toISOString().slice(0, 10);
}

import { isRecord } from "#foundation/text/json";

/** What somebody should look at, by the names that monitors know it by. */
export const alertNames = ["inbox_late", "dead_entries", "platform_retrying"] as const;
export type AlertName = (typeof alertNames)[number];

export interface Watched {
  readonly inboxAgeSeconds: number;
  /** Messages received and messages to send that were given up. */
  readonly deadEntries: number;
  /** The platforms of the gateway, as it tells of them. */
  readonly platforms: unknown;
  readonly nowMs: number;
}

const longestInboxSeconds = 60;
const longestRetryingMs = 600_000;

/** Which of them are so now. */
export function alertsOf({ inboxAgeSeconds, deadEntries, platforms, nowMs }: Watched): ReadonlySet<AlertName> {
  const since = Object.values(isRecord(platforms) ? platforms : {}).flatMap((facts) =>
    isRecord(facts) && typeof facts["retrying_since"] === "string" ? [Date.parse(facts["retrying_since"])] : [],
  );
  const is: Readonly<Record<AlertName, boolean>> = {
    inbox_late: inboxAgeSeconds > longestInboxSeconds,
    dead_entries: deadEntries > 0,
    platform_retrying: since.some((sinceMs) => nowMs - sinceMs > longestRetryingMs),
  };
  return new Set(alertNames.filter((name) => is[name]));
}

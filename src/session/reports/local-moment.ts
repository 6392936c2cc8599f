const dayMs = 86_400_000;

/** A moment as clocks and calendars of a place show it. */
export interface LocalMoment {
  readonly hour: number;
  /** Monday is 0. */
  readonly weekday: number;
  /** Days since 1970 on the local calendar. */
  readonly day: number;
}

/** The zone is an IANA name; the machine's own without one, or with one that does not exist. */
export function localMoment(ms: number, timeZone: string): LocalMoment {
  const parts = formatIn(timeZone).formatToParts(new Date(ms));
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value ?? 0);
  const midnightMs = Date.UTC(part("year"), part("month") - 1, part("day"));
  return {
    hour: part("hour"),
    weekday: (new Date(midnightMs).getUTCDay() + 6) % 7,
    day: Math.round(midnightMs / dayMs),
  };
}

const fields = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", hourCycle: "h23" } as const;

function formatIn(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-CA", timeZone === "" ? fields : { ...fields, timeZone });
  } catch (error) {
    if (error instanceof RangeError) return new Intl.DateTimeFormat("en-CA", fields);
    throw error;
  }
}

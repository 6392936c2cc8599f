/** When sessions began, in local time. */
export interface Activity {
  /** Monday first. */
  readonly byWeekday: readonly { readonly day: string; readonly sessions: number }[];
  /** Busiest first, at most five. */
  readonly peakHours: readonly { readonly hour: number; readonly sessions: number }[];
  readonly activeDays: number;
  /** Most days in a row with a session. */
  readonly bestStreak: number;
}

const weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;
const dayMs = 86_400_000;

export function activityOf(startedAtMs: readonly number[]): Activity {
  const dates = startedAtMs.map((atMs) => new Date(atMs));
  const hours = new Map<number, number>();
  for (const date of dates) hours.set(date.getHours(), (hours.get(date.getHours()) ?? 0) + 1);
  const dayNumbers = [...new Set(dates.map(dayNumber))].sort((left, right) => left - right);
  return {
    byWeekday: weekdays.map((day, index) => ({
      day,
      sessions: dates.filter((date) => (date.getDay() + 6) % 7 === index).length,
    })),
    peakHours: [...hours]
      .map(([hour, sessions]) => ({ hour, sessions }))
      .sort((left, right) => right.sessions - left.sessions || left.hour - right.hour)
      .slice(0, 5),
    activeDays: dayNumbers.length,
    bestStreak: longestRun(dayNumbers),
  };
}

/** A count of calendar days, so that a change of the clock does not break a streak. */
function dayNumber(date: Date): number {
  return Math.round(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / dayMs);
}

function longestRun(days: readonly number[]): number {
  let [best, current] = [0, 0];
  for (const [index, day] of days.entries()) {
    current = days[index - 1] === day - 1 ? current + 1 : 1;
    best = Math.max(best, current);
  }
  return best;
}

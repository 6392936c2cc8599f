/**
 * Schedules in words. One sentence form for what comes again ("every monday and thursday at 9", "weekdays at 8:30",
 * "at noon on weekends", "every month on the 1st at 10am", "hourly"), one for what comes once ("in 20 minutes",
 * "tomorrow at 9", "friday at 17:30"). Whatever does not fit whole is refused: a guess would run at the wrong time.
 */

const dayNumbers: Readonly<Record<string, string>> = {
  day: "*",
  weekday: "1-5",
  weekend: "0,6",
  sunday: "0",
  sun: "0",
  monday: "1",
  mon: "1",
  tuesday: "2",
  tue: "2",
  wednesday: "3",
  wed: "3",
  thursday: "4",
  thu: "4",
  friday: "5",
  fri: "5",
  saturday: "6",
  sat: "6",
};

interface Times {
  readonly hours: string;
  readonly minute: number;
}

/** Five fields of a cron expression for a sentence about what comes again; undefined when it is none. */
export function spokenExpression(text: string): string | undefined {
  const { rest, clock } = splitClock(text);
  if (/^(?:hourly|(?:every|each) hour)$/.test(rest)) return clock === undefined ? "0 * * * *" : undefined;
  const times = clock === undefined ? { hours: "0", minute: 0 } : timesOf(clock);
  if (times === undefined) return undefined;
  const dayOfMonth = monthDay(rest);
  if (dayOfMonth !== undefined) return `${times.minute} ${times.hours} ${dayOfMonth} * *`;
  const days = daysOf(rest);
  return days === undefined ? undefined : `${times.minute} ${times.hours} * * ${days}`;
}

/** The wall-clock time a sentence about one moment means, after `nowWallMs`; undefined when it is none. */
export function spokenMoment(text: string, nowWallMs: number): number | undefined {
  const { rest, clock } = splitClock(text);
  if (clock === undefined) return undefined;
  const times = timesOf(clock);
  if (times === undefined || times.hours.includes(",")) return undefined;
  const today = new Date(nowWallMs);
  const at = (days: number): number =>
    Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + days, Number(times.hours), times.minute);
  if (rest === "" || rest === "today") return at(0) > nowWallMs || rest === "today" ? at(0) : at(1);
  if (rest === "tomorrow") return at(1);
  const named = dayNumbers[rest.replace(/^(?:next|this|on) /, "")];
  if (named === undefined || !/^\d$/.test(named)) return undefined;
  const ahead = (Number(named) - today.getUTCDay() + 7) % 7;
  return at(ahead) > nowWallMs ? at(ahead) : at(ahead + 7);
}

/** "at 9" stands before or after what it belongs to. */
function splitClock(text: string): { readonly rest: string; readonly clock: string | undefined } {
  const clock = String.raw`at ((?:noon|midnight|\d{1,2}(?::\d{2})? ?(?:am|pm)?)(?:(?:, | and |, and )(?:noon|midnight|\d{1,2}(?::\d{2})? ?(?:am|pm)?))*)`;
  const before = new RegExp(`^${clock}(?: (.+))?$`).exec(text);
  if (before !== null) return { rest: (before[2] ?? "").trim(), clock: before[1] };
  const after = new RegExp(`^(.+?) ${clock}$`).exec(text);
  return after === null ? { rest: text, clock: undefined } : { rest: (after[1] ?? "").trim(), clock: after[2] };
}

function monthDay(rest: string): string | undefined {
  const match =
    /^(?:monthly|(?:every|each) month)(?: on the (\d{1,2})(?:st|nd|rd|th)?)?$/.exec(rest) ??
    /^on the (\d{1,2})(?:st|nd|rd|th)? of (?:every|each) month$/.exec(rest);
  if (match === null) return undefined;
  const day = Number(match[1] ?? 1);
  return day >= 1 && day <= 31 ? String(day) : undefined;
}

/** "every monday" and "mondays" come again; "monday" alone is one of them. */
function daysOf(rest: string): string | undefined {
  if (rest === "daily" || rest === "everyday") return "*";
  const [, every, list = ""] = /^(?:(every|each) |on )?(.+)$/.exec(rest) ?? [];
  const numbers = list.split(/, and | and |, /).map((name) => {
    const isPlural = Object.hasOwn(dayNumbers, name.replace(/s$/, "")) && name.endsWith("s");
    return every === undefined && !isPlural ? undefined : dayNumbers[isPlural ? name.slice(0, -1) : name];
  });
  if (numbers.some((one) => one === undefined)) return undefined;
  return numbers.includes("*") ? "*" : numbers.join(",");
}

/** Several times of day share their minute, as one expression can say it. */
function timesOf(text: string): Times | undefined {
  const times = text.split(/, and | and |, /).map(timeOf);
  const [first] = times;
  if (first === undefined || times.some((one) => one?.minute !== first.minute)) return undefined;
  return { hours: times.map((one) => one?.hour).join(","), minute: first.minute };
}

function timeOf(text: string): { readonly hour: number; readonly minute: number } | undefined {
  if (text === "noon") return { hour: 12, minute: 0 };
  if (text === "midnight") return { hour: 0, minute: 0 };
  const [matched, hours = "", minutes = "0", half] = /^(\d{1,2})(?::(\d{2}))?\s?(am|pm)?$/.exec(text) ?? [];
  if (matched === undefined) return undefined;
  const [hour, minute] = [Number(hours), Number(minutes)];
  if (minute > 59 || (half === undefined ? hour > 23 : hour < 1 || hour > 12)) return undefined;
  if (half === undefined) return { hour, minute };
  return { hour: (hour % 12) + (half === "pm" ? 12 : 0), minute };
}

import { UserError } from "#foundation/errors";
import { cronExpression, cronProblem } from "./cron-expression.ts";
import { spokenMoment } from "./spoken.ts";
import { Zone } from "./zone.ts";

/** When a job runs; `display` is how people read it. */
export type Schedule =
  | { readonly kind: "once"; readonly runAtMs: number; readonly display: string }
  | { readonly kind: "interval"; readonly minutes: number; readonly display: string }
  | { readonly kind: "cron"; readonly expr: string; readonly display: string };

export interface ScheduleContext {
  readonly nowMs: number;
  /** An IANA name; empty takes the machine's. */
  readonly timeZone: string;
}

const minutesIn: Readonly<Record<string, number>> = { m: 1, h: 60, d: 1440 };
const durationPattern = /^(\d+)\s*(m|mins?|minutes?|h|hrs?|hours?|d|days?)$/;
const datePattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?)?(Z|[+-]\d{2}:?\d{2})?$/i;
const mostMinutes = 60 * 24 * 366 * 10;
/** A time that passed no longer ago than this still counts. */
const pastGraceMs = 120_000;

/** Reads a schedule as a person or a model writes it; a `UserError` lists the forms there are. */
export async function parseSchedule(text: string, context: ScheduleContext): Promise<Schedule> {
  const words = text.trim().replace(/\s+/g, " ");
  const lower = words.toLowerCase();
  const interval = lower.startsWith("every ")
    ? minutesOf(lower.slice(6).replace(/^(?=(?:minute|hour)$)/, "1 "))
    : undefined;
  if (interval !== undefined) return { kind: "interval", minutes: interval, display: `every ${interval}m` };
  const delay = minutesOf(lower.replace(/^in /, "").replace(/^an? /, "1 "));
  if (delay !== undefined) return once(context.nowMs + delay * 60_000, context);
  const runAtMs = momentIn(words, context);
  if (runAtMs !== undefined) return once(runAtMs, context);
  const expr = cronExpression(words);
  if (expr === undefined) {
    const zone = zoneOf(context.timeZone);
    const wallMs = spokenMoment(lower, zone.wallAt(context.nowMs));
    if (wallMs === undefined) throw unreadable(text);
    return once(zone.momentOf(wallMs), context);
  }
  const problem = await cronProblem(expr);
  if (problem !== undefined) throw unreadable(text, problem);
  return { kind: "cron", expr, display: expr === words ? expr : `${lower} (${expr})` };
}

/** The zone by its name, or what is wrong with it, in words for a person. */
export function zoneOf(name: string): Zone {
  try {
    return new Zone(name);
  } catch (cause) {
    throw new UserError(`"${name}" is not a time zone.`, { hint: "Use a name such as Europe/Berlin or UTC.", cause });
  }
}

function once(runAtMs: number, { nowMs, timeZone }: ScheduleContext): Schedule {
  if (runAtMs < nowMs - pastGraceMs)
    throw new UserError(`${zoneOf(timeZone).text(runAtMs)} has passed.`, {
      hint: "Give a time in the future.",
      code: "bad_schedule",
    });
  return { kind: "once", runAtMs, display: `once at ${zoneOf(timeZone).text(runAtMs)}` };
}

function minutesOf(text: string): number | undefined {
  const [, count = "", unit = ""] = durationPattern.exec(text) ?? [];
  const minutes = Number(count) * (minutesIn[unit.charAt(0)] ?? 0);
  return minutes >= 1 && minutes <= mostMinutes ? minutes : undefined;
}

/** A date with or without a time; without a zone it is meant as the clocks of the configured zone show it. */
function momentIn(text: string, { timeZone }: ScheduleContext): number | undefined {
  const [matched, ...fields] = datePattern.exec(text) ?? [];
  if (matched === undefined) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = fields
    .slice(0, 6)
    .map((one) => Number(one ?? 0));
  const wallMs = Date.UTC(year, month - 1, day, hour, minute, second);
  const back = new Date(wallMs);
  const isDate =
    back.getUTCMonth() === month - 1 && back.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  if (!isDate) return undefined;
  const offset = fields[6];
  if (offset === undefined) return zoneOf(timeZone).momentOf(wallMs);
  if (offset.toUpperCase() === "Z") return wallMs;
  const sign = offset.startsWith("-") ? -1 : 1;
  const digits = offset.replace(/\D/g, "");
  return wallMs - sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))) * 60_000;
}

function unreadable(text: string, why?: string): UserError {
  const reason = why === undefined ? "" : ` (${why})`;
  return new UserError(`"${text.slice(0, 100)}" is not a schedule${reason}.`, {
    hint: 'Use a delay ("30m", "2h", "1d"), something that comes again ("every 30m", "weekdays at 9", "every month on the 1st at 10am", "0 9 * * 1-5"), or a time ("tomorrow at 9", "2026-02-03T14:00").',
    code: "bad_schedule",
  });
}

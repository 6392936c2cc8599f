import type { SessionFacts } from "./inputs.ts";

/**
 * The lines about the session itself. Their time is that of the first build and never moves: a running
 * clock would change the prompt, and with it every cached token behind it. The written line is kept
 * rather than the time, since another runtime may spell the same date differently.
 */
export interface FrozenSession {
  readonly startedLine: string;
  readonly idLine?: string;
}

export function freezeSession(session: SessionFacts): FrozenSession {
  const startedLine = `Conversation started: ${describeTime(session.startedAtMs, session.timeZone)}`;
  if (session.rootSessionId === undefined || session.rootSessionId === "") return { startedLine };
  return { startedLine, idLine: `Session ID: ${session.rootSessionId}` };
}

export function sessionText(frozen: FrozenSession, now: { readonly model: string; readonly provider: string }): string {
  const lines = [frozen.startedLine];
  if (frozen.idLine !== undefined) lines.push(frozen.idLine);
  if (now.model !== "") lines.push(`Model: ${now.model}`);
  if (now.provider !== "") lines.push(`Provider: ${now.provider}`);
  return lines.join("\n");
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = ["January", "February", "March", "April", "May", "June"].concat([
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
]);

/** Such as `Monday, 16 November 2026, 00:58 (Europe/Berlin)`. */
function describeTime(timeMs: number, timeZone: string): string {
  return timeZone === "" ? ownTime(new Date(timeMs)) : (timeIn(timeMs, timeZone) ?? ownTime(new Date(timeMs)));
}

/** Without the language data of the runtime, which take longer to load than everything else in a prompt. */
function ownTime(time: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const date = `${weekdays[time.getDay()]}, ${time.getDate()} ${months[time.getMonth()]} ${time.getFullYear()}`;
  const offset = -time.getTimezoneOffset();
  const zone = `UTC${offset < 0 ? "-" : "+"}${two(Math.trunc(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
  return `${date}, ${two(time.getHours())}:${two(time.getMinutes())} (${offset === 0 ? "UTC" : zone})`;
}

/** Undefined for a zone this runtime does not know: the machine's own is used, and the line names it. */
function timeIn(timeMs: number, timeZone: string): string | undefined {
  try {
    const format = new Intl.DateTimeFormat("en-GB", { ...shape, timeZone });
    const parts = new Map(format.formatToParts(timeMs).map(({ type, value }) => [type, value]));
    const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? "";
    const date = `${part("weekday")}, ${part("day")} ${part("month")} ${part("year")}`;
    return `${date}, ${part("hour")}:${part("minute")} (${format.resolvedOptions().timeZone})`;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const shape = {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
} as const;

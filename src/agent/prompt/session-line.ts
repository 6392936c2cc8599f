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

/** Such as `Monday, 16 November 2026, 00:58 (Europe/Berlin)`. */
function describeTime(timeMs: number, timeZone: string): string {
  const format = formatIn(timeZone);
  const parts = new Map(format.formatToParts(timeMs).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? "";
  const date = `${part("weekday")}, ${part("day")} ${part("month")} ${part("year")}`;
  return `${date}, ${part("hour")}:${part("minute")} (${format.resolvedOptions().timeZone})`;
}

/** A zone this runtime does not know gives the machine's own; the line names the zone it used. */
function formatIn(timeZone: string): Intl.DateTimeFormat {
  const shape = {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  } as const;
  if (timeZone === "") return new Intl.DateTimeFormat("en-GB", shape);
  try {
    return new Intl.DateTimeFormat("en-GB", { ...shape, timeZone });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return new Intl.DateTimeFormat("en-GB", shape);
  }
}

/** One line of a log file: `<time> <LEVEL> [<session>] <component>: <text>`, or the same as JSON. */
import { defined } from "#foundation/defined";
export interface LogFacts {
  readonly atMs?: number;
  readonly level?: string;
  readonly session?: string;
  readonly component?: string;
}

export interface LogFilter {
  readonly sinceMs?: number;
  readonly level?: string;
  readonly session?: string;
  readonly component?: string;
}

const ranks: Readonly<Record<string, number>> = { debug: 0, info: 1, warn: 2, warning: 2, error: 3, critical: 3 };
const textForm = /^(\d{4}-\d{2}-\d{2}[T ]\S+)\s+([A-Z]+)\s+(?:\[([^\]]*)\]\s+)?([\w.:/-]+):/;

/** What a line says about itself; nothing for the second line of a stack trace. */
export function readLogLine(line: string): LogFacts {
  if (line.startsWith("{")) return readJsonLine(line);
  const match = textForm.exec(line);
  if (match === null) return {};
  const [, time = "", level = "", session, component = ""] = match;
  const atMs = Date.parse(time.replace(",", "."));
  return {
    ...(Number.isNaN(atMs) ? {} : { atMs }),
    level: level.toLowerCase(),
    ...defined({ session }),
    component: component.toLowerCase(),
  };
}

/** All conditions hold. A line without time or level passes those two: it belongs to the line before it. */
export function passes(facts: LogFacts, filter: LogFilter): boolean {
  const { sinceMs, level, session, component } = filter;
  if (sinceMs !== undefined && facts.atMs !== undefined && facts.atMs < sinceMs) return false;
  if (level !== undefined && facts.level !== undefined && rank(facts.level) < rank(level)) return false;
  if (session !== undefined && facts.session?.startsWith(session) !== true) return false;
  return component === undefined || (facts.component ?? "").split(/[.:/]/)[0] === component;
}

const rank = (level: string): number => ranks[level.toLowerCase()] ?? 1;

function readJsonLine(line: string): LogFacts {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
  const field = (...names: readonly string[]): string | undefined => {
    for (const name of names) {
      const found: unknown = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
      if (typeof found === "string" || typeof found === "number") return String(found);
    }
    return undefined;
  };
  const time = field("time", "ts", "timestamp");
  const atMs = time === undefined ? Number.NaN : /^\d+$/.test(time) ? Number(time) : Date.parse(time);
  const session = field("session", "session_id", "sessionId");
  const component = field("component", "name", "logger");
  const level = field("level");
  return {
    ...(Number.isNaN(atMs) ? {} : { atMs }),
    ...(level === undefined ? {} : { level: level.toLowerCase() }),
    ...defined({ session }),
    ...(component === undefined ? {} : { component: component.toLowerCase() }),
  };
}

/** A line as people read it; one that is text already stays as it is. */
export function formatLogLine(line: string): string {
  if (!line.startsWith("{")) return line;
  let value: Readonly<Record<string, unknown>>;
  try {
    value = JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (error instanceof SyntaxError) return line;
    throw error;
  }
  const { time, level, message, session, sessionId, session_id: stored, component, ...fields } = value;
  const id = session ?? sessionId ?? stored;
  const rest = Object.entries(fields).map(
    ([key, field]) => `${key}=${typeof field === "string" ? field : JSON.stringify(field)}`,
  );
  const where = `${id === undefined ? "" : `[${String(id)}] `}${String(component ?? "hermes")}:`;
  return [String(time ?? ""), String(level ?? "").toUpperCase(), where, String(message ?? ""), ...rest]
    .join(" ")
    .trim();
}

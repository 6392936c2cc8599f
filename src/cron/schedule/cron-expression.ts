import { spokenExpression } from "./spoken.ts";

const macros: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};

const fieldPattern = /^[\d*,/\-a-z]+$/i;

/** Five fields, from what a person wrote: themselves, a macro such as `@daily`, or "every monday at 8am". */
export function cronExpression(words: string): string | undefined {
  const lower = words.toLowerCase();
  const macro = macros[lower];
  if (macro !== undefined) return macro;
  const fields = words.split(" ");
  if (fields.length === 5 && fields.every((field) => fieldPattern.test(field) && /[\d*]|[a-z]{3}/i.test(field)))
    return words;
  return spokenExpression(lower);
}

/** Why croner does not take it; undefined when it does and it ever comes due. */
export async function cronProblem(expr: string): Promise<string | undefined> {
  const { Cron } = await import("croner");
  try {
    const next = new Cron(expr, { mode: "5-part", timezone: "UTC", paused: true }).nextRun(new Date(0));
    return next === null ? "it never comes due" : undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^CronPattern: /, "") : "it cannot be read";
  }
}

const macros: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};

const days: Readonly<Record<string, string>> = {
  day: "*",
  weekday: "1-5",
  weekend: "0,6",
  sunday: "0",
  monday: "1",
  tuesday: "2",
  wednesday: "3",
  thursday: "4",
  friday: "5",
  saturday: "6",
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
  return spoken(lower);
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

function spoken(text: string): string | undefined {
  const [, named = "", clock = ""] = /^every ([a-z]+?)s?(?: at (.+))?$/.exec(text) ?? [];
  const day = days[named];
  if (day === undefined) return undefined;
  const time = clock === "" ? { hour: 0, minute: 0 } : timeOf(clock);
  return time === undefined ? undefined : `${time.minute} ${time.hour} * * ${day}`;
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

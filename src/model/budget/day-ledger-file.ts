import { dirname } from "node:path";
import { UserError } from "#foundation/errors";
import { ensureDir, readTextFile, withFileLock, writeFileAtomic } from "#foundation/files/files";
import { isRecord, parseJson } from "#foundation/text/json";
import { type DayEntry, type DayLedger, type DayReservation, emptyDay } from "./day-ledger.ts";

const maxBytes = 1024 * 1024;
const keptDays = 62;

/**
 * The day's money in a file under the home, so that all processes share one ceiling. Every change
 * happens under a lock and replaces the file in one step. A file that cannot be read stops the call
 * instead of counting from zero: a money limit must not vanish with a broken disk.
 */
export class FileDayLedger implements DayLedger {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async change<T>(
    day: string,
    change: (entry: DayEntry) => { readonly entry: DayEntry; readonly result: T },
    signal: AbortSignal,
  ): Promise<T> {
    await ensureDir(dirname(this.#path), 0o700);
    return withFileLock(
      `${this.#path}.lock`,
      async () => {
        const days = await this.#read();
        const before = days.get(day) ?? emptyDay;
        const { entry, result } = change(before);
        if (entry !== before) await this.#write(new Map(days).set(day, entry));
        return result;
      },
      { signal },
    );
  }

  async #read(): Promise<ReadonlyMap<string, DayEntry>> {
    const text = await readTextFile(this.#path, { maxBytes });
    if (text === undefined) return new Map();
    const parsed = parseJson(text);
    const days = parsed.ok && isRecord(parsed.value) ? parsed.value["days"] : undefined;
    if (!isRecord(days)) {
      throw new UserError(`The record of today's spending in ${this.#path} is damaged.`, {
        hint: `Remove the file to count from zero again: rm ${this.#path}`,
        code: "budget_ledger_damaged",
      });
    }
    const entries = Object.entries(days).filter(([day]) => /^\d{4}-\d{2}-\d{2}$/.test(day));
    return new Map(entries.map(([day, entry]) => [day, readEntry(entry)]));
  }

  async #write(days: ReadonlyMap<string, DayEntry>): Promise<void> {
    const kept = [...days].sort(([left], [right]) => (left < right ? -1 : 1)).slice(-keptDays);
    const text = `${JSON.stringify({ version: 1, days: Object.fromEntries(kept) })}\n`;
    await writeFileAtomic(this.#path, text, { mode: 0o600, fsync: false });
  }
}

function readEntry(value: unknown): DayEntry {
  if (!isRecord(value)) return emptyDay;
  const reservations = isRecord(value["reservations"]) ? value["reservations"] : {};
  return {
    spentNano: amount(value["spentNano"]),
    unpricedCalls: amount(value["unpricedCalls"]),
    reservations: Object.fromEntries(
      Object.entries(reservations).flatMap(([id, one]): [string, DayReservation][] =>
        isRecord(one) ? [[id, { nanoUsd: amount(one["nanoUsd"]), expiresAtMs: amount(one["expiresAtMs"]) }]] : [],
      ),
    ),
  };
}

function amount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.round(value) : 0;
}

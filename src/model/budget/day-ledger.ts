import type { NanoUsd } from "../catalog/cost.ts";

/** Money set aside by a call that is under way. */
export interface DayReservation {
  readonly nanoUsd: NanoUsd;
  /** After this the process that made it is taken to have died, and the money is free again. */
  readonly expiresAtMs: number;
}

/** What all sessions of a home spent on one day. */
export interface DayEntry {
  readonly spentNano: NanoUsd;
  readonly reservations: Readonly<Record<string, DayReservation>>;
  /** Calls whose price nobody knew; they are in `spentNano` by assumption. */
  readonly unpricedCalls: number;
}

export const emptyDay: DayEntry = { spentNano: 0, reservations: {}, unpricedCalls: 0 };

/** Where the day's money is counted. A change sees the latest entry and nobody else changes it meanwhile. */
export interface DayLedger {
  change<T>(
    day: string,
    change: (entry: DayEntry) => { readonly entry: DayEntry; readonly result: T },
    signal: AbortSignal,
  ): Promise<T>;
}

/** For one process alone. */
export class MemoryDayLedger implements DayLedger {
  readonly #days = new Map<string, DayEntry>();

  async change<T>(
    day: string,
    change: (entry: DayEntry) => { readonly entry: DayEntry; readonly result: T },
    signal: AbortSignal,
  ): Promise<T> {
    signal.throwIfAborted();
    const { entry, result } = change(this.#days.get(day) ?? emptyDay);
    this.#days.set(day, entry);
    return result;
  }
}

export function reservedNano(entry: DayEntry): NanoUsd {
  return Object.values(entry.reservations).reduce((sum, one) => sum + one.nanoUsd, 0);
}

/** Without what dead processes left behind. */
export function withoutExpired(entry: DayEntry, nowMs: number): DayEntry {
  const alive = Object.entries(entry.reservations).filter(([, one]) => one.expiresAtMs > nowMs);
  return { ...entry, reservations: Object.fromEntries(alive) };
}

/** The day a moment belongs to, by the clock on the wall where the process runs. */
export function dayOf(nowMs: number): string {
  const date = new Date(nowMs);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

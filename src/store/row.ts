import { HermesError } from "#foundation/errors";
import { parseJson } from "#foundation/text/json";
import type { Row } from "./database.ts";

/** Reading one column of a row as the type the schema promises; anything else is a damaged file. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw unexpected(column, value);
}

export function maybeText(row: Row, column: string): string | undefined {
  const value = row[column];
  return typeof value === "string" ? value : undefined;
}

export function number(row: Row, column: string): number {
  const value = row[column];
  if (typeof value === "number") return value;
  if (value === null || value === undefined) return 0;
  const converted = Number(value);
  if (Number.isNaN(converted)) throw unexpected(column, value);
  return converted;
}

export function maybeNumber(row: Row, column: string): number | undefined {
  const value = row[column];
  return value === null || value === undefined ? undefined : number(row, column);
}

export function flag(row: Row, column: string): boolean {
  return number(row, column) !== 0;
}

/** The decoded JSON of a column; undefined when empty. `onDamage` hears of text that is not JSON. */
export function json(row: Row, column: string, onDamage?: (column: string) => void): unknown {
  const value = maybeText(row, column);
  if (value === undefined || value === "") return undefined;
  const parsed = parseJson(value);
  if (parsed.ok) return parsed.value ?? undefined;
  onDamage?.(column);
  return undefined;
}

/** Unix seconds, as existing databases store them, to milliseconds. */
export function millis(row: Row, column: string): number {
  return Math.round(number(row, column) * 1000);
}

export function maybeMillis(row: Row, column: string): number | undefined {
  return maybeNumber(row, column) === undefined ? undefined : millis(row, column);
}

/** What a column takes for a value that may be absent. */
export function orNull<T extends string | number>(value: T | undefined | null): T | null {
  return value ?? null;
}

export function jsonOrNull(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}

function unexpected(column: string, value: unknown): HermesError {
  return new HermesError(`The database holds ${value === null ? "nothing" : typeof value} in ${column}.`, {
    code: "store_damaged",
    data: { column },
  });
}

import { isRecord } from "#foundation/text/json";

/** An object of a service, not looked into yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** Text or a number as text; everything else is empty. */
export function textAt(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

export function fieldsAt(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isRecord(value) ? value : {};
}

export function listAt(fields: Fields, name: string): readonly Fields[] {
  const value = fields[name];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

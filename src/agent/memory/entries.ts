import { codePointLength, truncateEnd } from "#foundation/text/text";

/** The two files: what the agent noted for itself, and who the user is. */
export const memoryTargets = ["memory", "user"] as const;
export type MemoryTarget = (typeof memoryTargets)[number];

/** A line that holds nothing but a section sign. A sign inside a line separates nothing. */
const separator = "\n§\n";
const lonelySign = /(?:^|\n)[ \t]*§[ \t]*(?:\n|$)/;

/** The entries of a file: trimmed, empty ones left out, of equal ones the first. */
export function splitEntries(text: string): readonly string[] {
  const entries = text.replaceAll("\r\n", "\n").split(separator);
  return [...new Set(entries.map((entry) => entry.trim()))].filter((entry) => entry !== "");
}

export function joinEntries(entries: readonly string[]): string {
  return entries.join(separator);
}

/** Whether a text would read back as more than one entry. */
export function holdsSeparator(text: string): boolean {
  return lonelySign.test(text.replaceAll("\r\n", "\n"));
}

export function sizeOf(entries: readonly string[]): number {
  return codePointLength(joinEntries(entries));
}

/** `43/2,200`. */
export function fraction(used: number, limit: number): string {
  return `${grouped(used)}/${grouped(limit)}`;
}

/** `1% — 43/2,200 chars`. */
export function usageLine(used: number, limit: number): string {
  const percent = limit > 0 ? Math.min(100, Math.floor((used * 100) / limit)) : 100;
  return `${percent}% — ${fraction(used, limit)} chars`;
}

/** Thousands separated by commas, whatever the language of the machine. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

const previewChars = 80;

export function previewOf(entry: string): string {
  return truncateEnd(entry, previewChars, "");
}

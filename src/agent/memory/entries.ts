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

/** One wish to change a file of notes. */
export type NoteChange =
  | { readonly action: "add"; readonly content: string }
  | { readonly action: "replace"; readonly oldText: string; readonly content: string }
  | { readonly action: "remove"; readonly oldText: string };

export const noteActions = ["add", "replace", "remove"] as const;
export type NoteAction = NoteChange["action"];

/** What a change comes to on these entries; nothing is written yet. */
export type Decision =
  | {
      readonly kind: "write";
      readonly entries: readonly string[];
      /** The entry that is new in the file, or the one that left it. */
      readonly content: string;
      /** The entry a replacement took the place of. */
      readonly replaced?: string;
    }
  | { readonly kind: "already-there"; readonly entries: readonly string[] }
  | { readonly kind: "too-long"; readonly entries: readonly string[]; readonly used: number; readonly wanted: number }
  | { readonly kind: "ambiguous"; readonly matches: readonly string[] }
  | { readonly kind: "no-match" };

/** Pure: the same entries and the same wish give the same decision. Contents are trimmed already. */
export function decide(entries: readonly string[], change: NoteChange, limit: number): Decision {
  if (change.action === "add") {
    if (entries.includes(change.content)) return { kind: "already-there", entries };
    return fitting(entries, { entries: [...entries, change.content], content: change.content }, limit);
  }
  const found = find(entries, change.oldText);
  if (found.kind !== "found") return found;
  if (change.action === "remove") {
    return { kind: "write", entries: entries.filter((entry) => entry !== found.entry), content: found.entry };
  }
  if (change.content === found.entry) return { kind: "already-there", entries };
  const next = entries.map((entry) => (entry === found.entry ? change.content : entry));
  return fitting(entries, { entries: [...new Set(next)], content: change.content, replaced: found.entry }, limit);
}

/** Equal entries cannot occur twice in what was read, so one distinct match is one entry. */
function find(
  entries: readonly string[],
  oldText: string,
): { readonly kind: "found"; readonly entry: string } | Extract<Decision, { kind: "ambiguous" | "no-match" }> {
  const matches = [...new Set(entries.filter((entry) => entry.includes(oldText)))];
  const [first] = matches;
  if (first === undefined) return { kind: "no-match" };
  // Naming one entry in full means that one, although others contain it.
  if (matches.length > 1 && !matches.includes(oldText)) return { kind: "ambiguous", matches };
  return { kind: "found", entry: matches.length > 1 ? oldText : first };
}

function fitting(
  before: readonly string[],
  after: Omit<Extract<Decision, { kind: "write" }>, "kind">,
  limit: number,
): Decision {
  const wanted = sizeOf(after.entries);
  if (wanted > limit) return { kind: "too-long", entries: before, used: sizeOf(before), wanted };
  return { kind: "write", ...after };
}

import { sizeOf } from "./entries.ts";

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

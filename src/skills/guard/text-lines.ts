/** A line as a shell reads it: with its continuations, in plain characters, without what cannot be seen. */
export interface LogicalLine {
  readonly text: string;
  /** Where it begins, counted from 1. */
  readonly line: number;
}

/** Characters that take no room: joiners, marks of direction, tags. */
export const invisible =
  /\u034f|[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]|\udb40[\udc00-\udfff]/g;

const windowChars = 2_000;
const overlapChars = 400;

/** Splits a text for the patterns. Long lines come in overlapping pieces, so that nothing hides behind their length. */
export function logicalLines(text: string): readonly LogicalLine[] {
  const lines: LogicalLine[] = [];
  const raw = text.split(/\r?\n/);
  for (let index = 0; index < raw.length; index += 1) {
    const start = index;
    let joined = raw[index] ?? "";
    while (joined.endsWith("\\") && index + 1 < raw.length && joined.length < windowChars * 4) {
      index += 1;
      joined = `${joined.slice(0, -1)} ${(raw[index] ?? "").trimStart()}`;
    }
    const plain = joined.replace(invisible, "").normalize("NFKC");
    for (const piece of pieces(plain)) lines.push({ text: piece, line: start + 1 });
  }
  return lines;
}

function pieces(text: string): readonly string[] {
  if (text.length <= windowChars) return text.trim() === "" ? [] : [text];
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += windowChars - overlapChars) parts.push(text.slice(at, at + windowChars));
  return parts;
}

/** How a text is cut into stream deltas: by words, into a number of even pieces, or exactly as listed. */
export type Fragments = number | readonly string[];

export function fragmentsOf(text: string, wanted?: Fragments): readonly string[] {
  if (text === "") return [];
  if (wanted === undefined) return text.match(/\s*\S+\s*$|\s*\S+|\s+/g) ?? [text];
  if (typeof wanted === "number") return evenPieces(text, wanted);
  if (wanted.join("") !== text) throw new Error(`The fragments do not add up to the text ${JSON.stringify(text)}.`);
  return wanted;
}

/** Cuts between code points: a provider never splits a character over two JSON strings. */
function evenPieces(text: string, count: number): readonly string[] {
  const points = [...text];
  const size = Math.max(1, Math.ceil(points.length / Math.max(1, count)));
  const pieces: string[] = [];
  for (let at = 0; at < points.length; at += size) pieces.push(points.slice(at, at + size).join(""));
  return pieces;
}

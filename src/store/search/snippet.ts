/** Places of a text, for people: the words around a match, with the match marked. */
export const matchStart = ">>>";
export const matchEnd = "<<<";
const ellipsis = "...";
const lead = 40;
const snippetLength = 120;
const contextLength = 200;

/** 120 characters that begin 40 before the first place where one of the needles occurs. */
export function substringSnippet(content: string, needles: readonly string[]): string {
  const found = firstMatch(content, needles);
  if (found === undefined) return cut(content, snippetLength);
  const before = Array.from(content.slice(0, found.index)).slice(-lead);
  const match = content.slice(found.index, found.index + found.length);
  const room = Math.max(0, snippetLength - before.length - Array.from(match).length);
  const after = Array.from(content.slice(found.index + found.length));
  const isCutBefore = before.join("").length < found.index;
  const isCutAfter = after.length > room;
  return `${isCutBefore ? ellipsis : ""}${before.join("")}${matchStart}${match}${matchEnd}${after.slice(0, room).join("")}${isCutAfter ? ellipsis : ""}`;
}

export function contextText(content: string): string {
  return Array.from(content.slice(0, contextLength * 2))
    .slice(0, contextLength)
    .join("");
}

function cut(content: string, length: number): string {
  const characters = Array.from(content.slice(0, length * 2 + 2));
  return characters.length > length ? characters.slice(0, length).join("") + ellipsis : characters.join("");
}

function firstMatch(content: string, needles: readonly string[]): { index: number; length: number } | undefined {
  const folded = content.toLowerCase();
  // Folding may change the length of a text (a capital dotted I does); then only exact matches are marked.
  const haystack = folded.length === content.length ? folded : content;
  let best: { index: number; length: number } | undefined;
  for (const needle of needles) {
    const wanted = haystack === content ? needle : needle.toLowerCase();
    const index = wanted === "" ? -1 : haystack.indexOf(wanted);
    if (index >= 0 && (best === undefined || index < best.index)) best = { index, length: wanted.length };
  }
  return best;
}

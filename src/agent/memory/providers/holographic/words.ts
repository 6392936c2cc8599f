const wordPattern = /[\p{L}\p{N}](?:[\p{L}\p{N}_.@/'’-]*[\p{L}\p{N}_])?/gu;

/** Words that carry no meaning of their own; they would make unrelated sentences look alike. */
const fillers: ReadonlySet<string> = new Set(
  (
    "a an and are as at be been but by can did do does for from had has have he her his how i if in is it its me my of on or our " +
    "she so that the their them they this to us was we were what when where which who why will with would you your"
  ).split(" "),
);

const maxWords = 64;

/** The distinct words of a text in lower case, without fillers; bounded. */
export function wordsOf(text: string): readonly string[] {
  const words = new Set<string>();
  for (const [word] of text.normalize("NFKC").replaceAll("’", "'").toLowerCase().matchAll(wordPattern)) {
    if (!fillers.has(word)) words.add(word);
    if (words.size >= maxWords) break;
  }
  return [...words];
}

/** How many words two texts share, of all they have: 0 to 1. */
export function overlap(left: readonly string[], right: readonly string[]): number {
  const other = new Set(right);
  const shared = left.filter((word) => other.has(word)).length;
  const all = new Set([...left, ...right]).size;
  return all === 0 ? 0 : shared / all;
}

/** Text that behaves like conversations: common and rare words, code, paths, numbers, and some Chinese. */
export interface TextSource {
  /** A message of 100 to 600 bytes. */
  message(): string;
  /** A word by how common it is: 0 is the most common. */
  word(rank: number): string;
  cjkWord(rank: number): string;
  random(): number;
}

const vocabularySize = 30_000;
const cjkVocabularySize = 2_000;
const cjkShare = 0.04;

export function textSource(seed: number): TextSource {
  // The vocabulary is the same for every seed, so that writers and searchers speak one language.
  const fixed = randomNumbers(7);
  const words = Array.from({ length: vocabularySize }, (_, rank) => makeWord(fixed, rank));
  const cjkWords = Array.from({ length: cjkVocabularySize }, () => makeCjkWord(fixed));
  const random = randomNumbers(seed);
  const pick = zipf(words.length, random);
  const pickCjk = zipf(cjkWords.length, random);
  const piece = (): string => {
    const roll = random();
    if (roll < 0.02) return `/home/user/${words[pick()]}/${words[pick()]}.ts`;
    if (roll < 0.04) return `${words[pick()]}_${words[pick()]}()`;
    if (roll < 0.06) return String(Math.floor(random() * 10_000));
    return words[pick()] ?? "";
  };
  return {
    message() {
      const length = 100 + Math.floor(random() * 500);
      const isCjk = random() < cjkShare;
      let text = "";
      while (Buffer.byteLength(text) < length)
        text += isCjk
          ? `${cjkWords[pickCjk()]}${random() < 0.15 ? "，" : ""}`
          : `${piece()}${random() < 0.1 ? ". " : " "}`;
      return text;
    },
    word: (rank) => words[rank] ?? "",
    cjkWord: (rank) => cjkWords[rank] ?? "",
    random,
  };
}

const syllables =
  "ba con de er fi ga hu in jo ka lo men no or pra qui re sta ti un ver wa xe yo zu tion ing al ment s th om er ch".split(
    " ",
  );

function makeWord(random: () => number, rank: number): string {
  const length = 1 + Math.floor(random() * 3) + (rank < 200 ? 0 : 1);
  return Array.from({ length }, () => syllables[Math.floor(random() * syllables.length)]).join("");
}

function makeCjkWord(random: () => number): string {
  const length = 1 + Math.floor(random() * 3);
  return Array.from({ length }, () => String.fromCodePoint(0x4e00 + Math.floor(random() * 3_000))).join("");
}

function zipf(size: number, random: () => number): () => number {
  const sums: number[] = [];
  let sum = 0;
  for (let rank = 0; rank < size; rank += 1) {
    sum += 1 / (rank + 10);
    sums.push(sum);
  }
  return () => {
    const wanted = random() * sum;
    let low = 0;
    let high = size - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** mulberry32 */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

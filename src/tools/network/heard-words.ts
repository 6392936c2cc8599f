/** How much of what was heard is kept, newest last. */
const mostCharacters = 1_000_000;
/** So many words in a row are a sentence out of a file, not the name of a package. */
const wordsInRow = 4;

/**
 * What tools of this machine told a session: the text of files, what commands printed. An address that repeats some
 * of it would carry it to its host.
 */
export class HeardWords {
  #texts: string[] = [];
  /** As they came; most sessions never need their words. */
  #unread: string[] = [];
  #characters = 0;

  note(text: string): void {
    this.#unread.push(text.slice(0, mostCharacters));
    this.#characters += Math.min(text.length, mostCharacters);
    while (this.#characters > mostCharacters && this.#texts.length + this.#unread.length > 1)
      this.#characters -= (this.#texts.shift() ?? this.#unread.shift() ?? "").length;
  }

  /** Whether an address says what was heard, and was not itself part of it. */
  areIn(url: URL): boolean {
    this.#texts.push(...this.#unread.splice(0).map(spaced));
    this.#characters = this.#texts.reduce((sum, text) => sum + text.length, 0);
    return repeats(url, this.#texts);
  }
}

/** Whether an address repeats words of these texts that tell something: a row of them, or one that nobody would make up. */
export function repeatsWords(url: URL, texts: readonly string[]): boolean {
  return repeats(
    url,
    texts.map((text) => spaced(text.slice(0, mostCharacters))),
  );
}

function repeats(url: URL, texts: readonly string[]): boolean {
  const whole = spaced(`${url.hostname}${url.pathname}${url.search}${url.hash}`);
  const words = wordsOf(`${url.pathname} ${url.search} ${url.hash}`);
  const rows = words
    .map((_, at) => words.slice(at, at + wordsInRow))
    .filter((row) => row.length === wordsInRow)
    .map((row) => ` ${row.join(" ")} `);
  const wanted = [...[...wordsOf(url.hostname), ...words].filter(isTelling).map((word) => ` ${word} `), ...rows];
  if (wanted.length === 0) return false;
  return texts.some((text) => wanted.some((one) => text.includes(one)) && !text.includes(whole));
}

/** A mixture of letters and digits, or a long number: no word of a language, no name of a format. */
function isTelling(word: string): boolean {
  if (/^\d{9,}$/.test(word)) return true;
  return word.length >= 6 && (word.match(/\d+|[^\d]+/g)?.length ?? 0) >= 3;
}

function wordsOf(text: string): readonly string[] {
  return spaced(decoded(text)).trim().split(" ");
}

/** Letters and digits only, words with one blank around them. */
function spaced(text: string): string {
  return ` ${text
    .replace(/\\[nrt]/g, " ")
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}]+/gu, " ")
    .trim()} `;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

/** A command line as its words, quotes and backslashes honoured; no shell. Undefined when a quote is left open. */
export function splitCommand(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index] ?? "";
    if (quote === "'") {
      if (character === "'") quote = undefined;
      else word = `${word ?? ""}${character}`;
    } else if (character === "\\" && index + 1 < line.length) {
      index += 1;
      word = `${word ?? ""}${line[index]}`;
    } else if (character === quote) {
      quote = undefined;
    } else if (quote === undefined && (character === "'" || character === '"')) {
      quote = character;
      word ??= "";
    } else if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = `${word ?? ""}${character}`;
    }
  }
  if (quote !== undefined) return undefined;
  return word === undefined ? words : [...words, word];
}

/** The other way round: what {@link splitCommand} takes apart into these words again. */
export function joinCommand(argv: readonly string[]): string {
  return argv.map((word) => (/^[^\s'"\\]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}

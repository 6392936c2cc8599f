import path from "node:path";
import type { Finding } from "./finding.ts";
import { productFiles, type SourceTree } from "./source-tree.ts";

/** Words that name nothing an engineer would look for, with what to write instead. */
const banned: Readonly<Record<string, string>> = {
  wish: "Options or Request",
  wishes: "Options or Request",
  place: "Location",
  places: "Locations",
  given: "the thing that is given",
  parts: "Deps, Options or the things themselves",
  people: "Prompter, or users",
  desk: "Dispatcher",
  book: "Ledger",
  books: "Ledger",
  said: "nonEmpty",
};

/** Names in which the word means what it means in English or on a wire. */
const allowed: readonly RegExp[] = [
  /^placeCursor$/,
  /inPlace/i,
  // A message, a line or a path has parts; so does a message on Gemini's wire.
  /^_?parts$/,
  /^max_parts$/,
  /content_?(As)?Parts/i,
  /^(as|join|input|result|wire|model|expand)Parts$/,
  /^partsOf$|^PartsForm$/,
  // The built program is cut into parts.
  /^openParts$/,
  /^(\w+)InParts$/,
];

/** Sentences on the screen that nobody would say, with what to say instead. */
const awkward: readonly { readonly phrase: RegExp; readonly instead: string }[] = [
  { phrase: /\bmet an error\b/i, instead: "Unexpected error" },
  { phrase: /\bWaits for the end of this turn\b|^ in line\)/, instead: "Queued (1 ahead)" },
  { phrase: /\b(your|the|you) wish(es)?\b/i, instead: "request, or want" },
];

/** Identifiers, file names and texts in words that the house does not use. */
export function bannedWords(tree: SourceTree): readonly Finding[] {
  return productFiles(tree).flatMap((file) => {
    const names: (readonly [string, number])[] = [[path.posix.basename(file.path, ".ts"), 1], ...file.names];
    return [...names.flatMap(([name, line]) => complaint(file.path, name, line)), ...awkwardTexts(file)];
  });
}

function complaint(file: string, name: string, line: number): readonly Finding[] {
  if (allowed.some((pattern) => pattern.test(name))) return [];
  const word = wordsOf(name).find((one) => Object.hasOwn(banned, one));
  return word === undefined ? [] : [{ file, line, problem: `${name}: say ${banned[word]}` }];
}

/** `openModelParts`, `OPEN_MODEL` and `open-model` as words in small letters. */
function wordsOf(name: string): readonly string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase());
}

function awkwardTexts(file: {
  readonly path: string;
  readonly texts: readonly { text: string; line: number }[];
}): readonly Finding[] {
  return file.texts.flatMap(({ text, line }) =>
    awkward
      .filter(({ phrase }) => phrase.test(text))
      .map(({ instead }) => ({
        file: file.path,
        line,
        problem: `${JSON.stringify(text.trim().slice(0, 60))}: say ${instead}`,
      })),
  );
}

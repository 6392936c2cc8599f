import type { Logger } from "#foundation/files/logger";
import { codePointLength } from "#foundation/text/text";
import { scanThreats } from "../threat-scan.ts";

export type GuardedText =
  | { readonly kind: "clean"; readonly text: string }
  | { readonly kind: "blocked"; readonly text: string; readonly threats: readonly string[] };

/** A file's text, or the one line that stands for a file which speaks like an attacker. */
export function guardText(input: string, name: string, log: Logger): GuardedText {
  const text = input.replace(unseen, "");
  if (text !== input) log.warn("A context file held characters that are not seen; they were left out.", { file: name });
  const mixed = [...new Set(text.match(mixedScript) ?? [])].slice(0, 10);
  if (mixed.length > 0)
    log.warn("A context file holds words with letters of two alphabets.", { file: name, words: mixed });
  const threats = scanThreats(text, "context");
  if (threats.length === 0)
    return { kind: "clean", text: mixed.length === 0 ? text : `${mixedNote(mixed)}\n\n${text}` };
  log.warn("A context file was not loaded: it looks like a prompt injection.", { file: name, threats });
  return { kind: "blocked", text: `[BLOCKED: ${name} not loaded - ${threats.join(", ")}]`, threats };
}

/** Tag characters, variation selectors and controls of direction: a model reads them, a person does not see them. */
const unseen =
  /\p{Variation_Selector}|[\u{E0000}-\u{E007F}\u{061C}\u{200E}\u{200F}\u{202A}-\u{202E}\u{2066}-\u{2069}]/gu;

/** A word that joins Latin letters with letters which look the same and are not. */
const mixedScript =
  /(?=[\p{L}\p{N}_-]*\p{Script=Latin})(?=[\p{L}\p{N}_-]*[\p{Script=Cyrillic}\p{Script=Greek}])[\p{L}][\p{L}\p{N}_-]*/gu;

function mixedNote(words: readonly string[]): string {
  return `[These words mix letters of two alphabets and may not be what they look like: ${words.join(", ")}]`;
}

const maxContextCharacters = 20_000;
const headShare = 0.7;
const tailShare = 0.2;

/** Beginning and end of a text that is too long, with a line between them that says what is missing and how to get it. */
export function shortenText(text: string, name: string): string {
  if (codePointLength(text) <= maxContextCharacters) return text;
  const characters = Array.from(text);
  const head = Math.floor(maxContextCharacters * headShare);
  const tail = Math.floor(maxContextCharacters * tailShare);
  const marker = `[... ${name} shortened: the first ${head} and the last ${tail} of ${characters.length} characters are shown. Read the rest with the file tools. ...]`;
  return [characters.slice(0, head).join(""), marker, characters.slice(-tail).join("")].join("\n\n");
}

/** A file name as it may stand in a line of the prompt. */
export function shownName(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ");
}

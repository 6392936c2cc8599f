import { graphemes, stripAnsi } from "./text.ts";
import { isWide } from "./wide-characters.ts";

const printableAscii = /^[\x20-\x7e]*$/;
const zeroWidth = /^[\p{Control}\p{Mark}\p{Default_Ignorable_Code_Point}\p{Surrogate}\u200b\ufeff]+$/u;
const emoji = /\p{Emoji_Presentation}|\p{Regional_Indicator}{2}|\p{Emoji}\ufe0f/u;

/** Columns the text takes in a terminal. Escape sequences and control characters take none. */
export function displayWidth(text: string): number {
  if (printableAscii.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemes(stripAnsi(text))) width += graphemeWidth(grapheme);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (printableAscii.test(grapheme)) return grapheme.length;
  if (zeroWidth.test(grapheme)) return 0;
  if (emoji.test(grapheme)) return 2;
  return isWide(grapheme.codePointAt(0) ?? 0) ? 2 : 1;
}

import { forEachChild, type ParsedScript, type SyntaxNode } from "unbash";

/** Quotes, dashes, blanks, slashes and operators that are read as syntax by people and as letters by a shell. */
const lookAlikes =
  /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u2010-\u2015\u2018-\u201f\u2032-\u2036\u2039\u203a\u2044\u2212\u2215\u2216\u2223\u2236\u2571\u2572\u29f8\u29f9\u02b9-\u02bd\u02c8\u055a\u037e\uff01-\uff5e\uff61-\uff65\uffe8\ufe50-\ufe6b\u2024-\u2026\u204e\u2217\u2758\u01c0\u00b4]/;
/** Characters nobody sees, and those that turn the order of what is seen. */
const invisible = /\p{Default_Ignorable_Code_Point}|[\u2800\ufff9-\ufffc]/u;
/** A picture may be made of several, joined by characters that are not seen. */
const pictures = /\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f|\u200d(?=\p{Extended_Pictographic}))*/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
/** A line that begins anew over what was shown; at the end of a line it is how some systems end lines. */
const overwriting = /\r(?!\n|$)/;
const plainText = /^[\t\n\u0020-\u007e]*$/;

/**
 * Whether a script holds characters that deceive whoever reads it: invisible or control characters anywhere, and
 * look-alikes of syntax outside quotes. In quotes they are part of a text.
 */
export function hasDeceivingCharacters(text: string, script: ParsedScript): boolean {
  if (plainText.test(text)) return false;
  if (control.test(text) || overwriting.test(text) || invisible.test(text.replace(pictures, ""))) return true;
  return lookAlikes.test(text) && bareTexts(script).some((bare) => lookAlikes.test(bare));
}

/** The source of words outside quotes. */
function bareTexts(script: ParsedScript): readonly string[] {
  const found: string[] = [];
  const look = (node: SyntaxNode): void => {
    if (node.type === "Word") {
      if (node.parts === undefined) found.push(node.text);
      for (const part of node.parts ?? []) if (part.type === "Literal" || part.type === "Glob") found.push(part.text);
    }
    forEachChild(node, look);
  };
  for (const statement of script.commands) look(statement);
  return found;
}

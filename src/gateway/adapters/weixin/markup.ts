const fenced = /(^(?:```|~~~)[\s\S]*?(?:^(?:```|~~~)[^\n]*$|(?![\s\S])))/mu;

/** Weixin shows every empty line; those outside of code go. */
export function withoutBlankLines(markdown: string): string {
  return markdown
    .split(fenced)
    .map((piece, index) => (index % 2 === 1 ? piece : piece.replaceAll(/\n(?:[ \t]*\n)+/gu, "\n")))
    .join("");
}

/** Every line for itself; code stays whole. */
export function linesOf(text: string): readonly string[] {
  return text
    .split(fenced)
    .flatMap((piece, index) => (index % 2 === 1 ? [piece] : piece.split("\n")))
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

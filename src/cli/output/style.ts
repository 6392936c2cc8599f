/** Colours and weights of the terminal; plain text where nobody sees them. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  caution(text: string): string;
  bad(text: string): string;
  accent(text: string): string;
}

export function createStyle(hasColor: boolean): Style {
  const wrap = (open: number, close: number) => (text: string) =>
    hasColor ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return {
    bold: wrap(1, 22),
    dim: wrap(2, 22),
    good: wrap(32, 39),
    caution: wrap(33, 39),
    bad: wrap(31, 39),
    accent: wrap(36, 39),
  };
}

/** At most this many UTF-16 units from the beginning, never half a surrogate pair. */
export function headOf(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const last = text.charCodeAt(characters - 1);
  const isHigh = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHigh ? characters - 1 : characters);
}

/** At most this many UTF-16 units from the end, never half a surrogate pair. */
export function tailOf(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const first = text.charCodeAt(text.length - characters);
  const isLow = first >= 0xdc00 && first <= 0xdfff;
  return text.slice(text.length - (isLow ? characters - 1 : characters));
}

/** Lines as a person counts them: a newline at the end begins no further one. */
export function lineCount(text: string): number {
  if (text === "") return 0;
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

/** White space collapsed, cut with an ellipsis. */
export function shortLine(text: string, characters: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= characters ? line : `${headOf(line, characters - 3)}...`;
}

/**
 * White space as the existing training data trims it. It differs from `String.trim`: the separators U+001C to
 * U+001F and U+0085 count, the byte order mark does not.
 */
export function isBlank(text: string): boolean {
  return trimStart(text) === "";
}

export function trimBoth(text: string): string {
  return trimStart(trimEnd(text));
}

export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

export function trimStart(text: string): string {
  let start = 0;
  while (start < text.length && isSpace(text.charCodeAt(start))) start += 1;
  return text.slice(start);
}

function isSpace(unit: number): boolean {
  if (unit <= 0x20) return (unit >= 0x09 && unit <= 0x0d) || unit >= 0x1c;
  if (unit === 0x85 || unit === 0xa0 || unit === 0x1680) return true;
  if (unit >= 0x2000 && unit <= 0x200a) return true;
  return unit === 0x2028 || unit === 0x2029 || unit === 0x202f || unit === 0x205f || unit === 0x3000;
}

/** A text as lines, with the offset of each; line ends are not part of the lines. */
export interface Lines {
  readonly lines: readonly string[];
  readonly starts: readonly number[];
}

export function linesOf(text: string): Lines {
  const lines = text.split("\n");
  const starts: number[] = [];
  let at = 0;
  for (const line of lines) {
    starts.push(at);
    at += line.length + 1;
  }
  return { lines, starts };
}

/** A pattern as lines. A final newline is not a line of its own; a match then takes the newline along. */
export function patternLines(pattern: string): {
  readonly lines: readonly string[];
  readonly endsWithNewline: boolean;
} {
  const endsWithNewline = pattern.endsWith("\n") && pattern.length > 1;
  return { lines: (endsWithNewline ? pattern.slice(0, -1) : pattern).split("\n"), endsWithNewline };
}

export function indentationOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

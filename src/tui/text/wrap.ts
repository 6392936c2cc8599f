import { defined } from "#foundation/defined";
import { graphemes } from "#foundation/text/text";
import { type Line, lineWidth, type Span, type StyledLine, toLine } from "./styled.ts";
import { displayWidth } from "./width.ts";

export interface WrapOptions {
  /** Put before the second and all further rows. */
  readonly hang?: Line;
}

/** Breaks a line into rows of at most `width` columns: at spaces, between wide characters, and inside words that are too long. */
export function wrapLine(line: StyledLine, width: number, options: WrapOptions = {}): Line[] {
  const whole = toLine(line).map(untabbed);
  const columns = Math.max(1, width);
  if (lineWidth(whole) <= columns) return [whole];
  const rows = new RowFiller(columns, options.hang ?? []);
  for (const word of wordsOf(whole)) rows.add(word);
  return rows.finish();
}

/** {@link wrapLine} for text with line breaks. */
export function wrapText(text: string, width: number, style?: string): Line[] {
  return text.split("\n").flatMap((row) => wrapLine([{ text: row, ...defined({ style }) }], width));
}

function untabbed(span: Span): Span {
  return span.text.includes("\t") ? { ...span, text: span.text.replaceAll("\t", "    ") } : span;
}

interface Word {
  readonly pieces: readonly Span[];
  readonly width: number;
  readonly isSpace: boolean;
}

/** Words may cross styles (`**bo**ld` is one word); every wide character is a word of its own. */
function wordsOf(line: Line): Word[] {
  const words: Word[] = [];
  let pieces: Span[] = [];
  const close = (): void => {
    if (pieces.length > 0) words.push({ pieces, width: lineWidth(pieces), isSpace: false });
    pieces = [];
  };
  for (const span of line) {
    if (span.isCursor === true && span.text === "") pieces.push(span);
    for (const part of span.text.split(/( +)/)) {
      if (part === "") continue;
      const isSpace = part.startsWith(" ");
      if (!isSpace && displayWidth(part) === part.length) {
        pieces.push({ ...span, text: part });
        continue;
      }
      if (isSpace) {
        close();
        words.push({ pieces: [{ ...span, text: part }], width: part.length, isSpace });
        continue;
      }
      for (const grapheme of graphemes(part)) {
        const width = displayWidth(grapheme);
        if (width > 1) close();
        pieces.push({ ...span, text: grapheme });
        if (width > 1) close();
      }
    }
  }
  close();
  return words;
}

class RowFiller {
  readonly #rows: Line[] = [];
  readonly #width: number;
  readonly #hang: Line;
  #row: Span[] = [];
  #used = 0;
  #pendingSpace: Word | undefined;

  constructor(width: number, hang: Line) {
    this.#width = width;
    this.#hang = lineWidth(hang) < width ? hang : [];
  }

  add(word: Word): void {
    if (word.isSpace) {
      // Spaces at the start of the text are indentation; spaces at a break vanish.
      if (this.#used === 0 && this.#rows.length === 0) this.#push(word);
      else this.#pendingSpace = word;
      return;
    }
    const space = this.#pendingSpace;
    this.#pendingSpace = undefined;
    if (this.#used + (space?.width ?? 0) + word.width <= this.#width) {
      if (space !== undefined) this.#push(space);
      this.#push(word);
      return;
    }
    if (word.width <= this.#width - lineWidth(this.#hang)) {
      this.#break();
      this.#push(word);
      return;
    }
    if (space !== undefined && this.#used + space.width < this.#width) this.#push(space);
    this.#pushBroken(word);
  }

  finish(): Line[] {
    if (this.#row.length > 0 || this.#rows.length === 0) this.#rows.push(this.#row);
    return this.#rows;
  }

  #push(word: Word): void {
    this.#row.push(...word.pieces);
    this.#used += word.width;
  }

  #break(): void {
    this.#rows.push(this.#row);
    this.#row = [...this.#hang];
    this.#used = lineWidth(this.#hang);
  }

  #pushBroken(word: Word): void {
    for (const piece of word.pieces) {
      let text = "";
      for (const grapheme of graphemes(piece.text)) {
        const width = displayWidth(grapheme);
        if (this.#used + width > this.#width) {
          if (text !== "") this.#row.push({ ...piece, text });
          text = "";
          this.#break();
        }
        text += grapheme;
        this.#used += width;
      }
      this.#row.push({ ...piece, text });
    }
  }
}

import type { RenderedText } from "../platform/outbound.ts";
import { type MarkupStyle, plainStyle, renderMarkdown } from "./markup.ts";
import { counter, splitPieces } from "./split.ts";

export interface RenderOptions {
  readonly style: MarkupStyle;
  /** Longest message, as the platform counts. */
  readonly limit: number;
  length(text: string): number;
}

/** Markdown in the style of a platform, in pieces whose finished form fits; beside each the same without markup. */
export function renderedTexts(markdown: string, { style, limit, length }: RenderOptions): readonly RenderedText[] {
  const measure = (text: string): number => length(renderMarkdown(text, style));
  const pieces = splitPieces(markdown, { limit, measure });
  return pieces.map((piece, index) => {
    const number = counter(index, pieces.length);
    return {
      text: renderMarkdown(piece, style) + style.text(number),
      plain: renderMarkdown(piece, plainStyle) + number,
    };
  });
}

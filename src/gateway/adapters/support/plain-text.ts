import type { RenderedText } from "../../platform/outbound.ts";
import { plainStyle } from "../../text/markup.ts";
import { renderedTexts } from "../../text/rendered.ts";
import { lengthIn } from "../../text/split.ts";

/** For platforms without any markup. */
export function plainTexts(markdown: string, limit: number): readonly RenderedText[] {
  return renderedTexts(markdown, { style: plainStyle, limit, length: lengthIn("utf16") });
}

import type { Token, Tokens } from "marked";
import { defined } from "#foundation/defined";
import { readEntities } from "./entities.ts";
import type { Span } from "./styled.ts";

/** Text inside a block, as spans; a span with a line break in it breaks the row. */
export function inlineSpans(tokens: readonly Token[], style?: string): Span[] {
  return tokens.flatMap((token) => inlineSpan(token as InlineToken, style));
}

/** `\,` `\;` `\:` are spaces of formulas; nobody escapes these characters in prose. */
const spacesOfMath = /^\\[,;:]$/;

type InlineToken =
  | Tokens.Strong
  | Tokens.Em
  | Tokens.Del
  | Tokens.Codespan
  | Tokens.Link
  | Tokens.Image
  | Tokens.Br
  | Tokens.Text
  | Tokens.Escape
  | Tokens.HTML
  | Tokens.Checkbox;

function inlineSpan(token: InlineToken, style: string | undefined): Span[] {
  switch (token.type) {
    case "strong":
      return inlineSpans(token.tokens, "strong");
    case "em":
      return inlineSpans(token.tokens, style ?? "emphasis");
    case "del":
      return inlineSpans(token.tokens, "struck");
    case "codespan":
      return [{ text: token.text, style: "code-inline" }];
    case "link":
      return linkSpans(token);
    case "image":
      return [{ text: `[image: ${token.text || token.href}]`, style: "link" }];
    case "br":
      return [{ text: "\n" }];
    case "text": {
      const inner = "tokens" in token ? token.tokens : undefined;
      return inner === undefined ? [plain(readEntities(token.raw), style)] : inlineSpans(inner, style);
    }
    case "escape":
      return [plain(spacesOfMath.test(token.raw) ? token.raw : token.text, style)];
    default:
      return [plain(token.raw, style)];
  }
}

/** The address is shown when the text does not already say it: a terminal cannot hover. */
function linkSpans(token: Tokens.Link): Span[] {
  const text = inlineSpans(token.tokens, "link");
  const isBare = token.text === token.href || `mailto:${token.text}` === token.href;
  return isBare || token.href === "" ? text : [...text, { text: ` (${token.href})`, style: "dim" }];
}

function plain(text: string, style: string | undefined): Span {
  return { text, ...defined({ style }) };
}

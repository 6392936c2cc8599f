import type { Token, Tokens, TokensList } from "marked";
import type { MarkdownMode } from "../settings.ts";
import { rule } from "./box.ts";
import { inlineSpans } from "./markdown-inline.ts";
import { tableRows } from "./markdown-table.ts";
import type { Line, Span } from "./styled.ts";
import { wrapLine, wrapText } from "./wrap.ts";

export type Lexer = (text: string) => TokensList;
/** Rows of highlighted code; undefined when the language is not known (yet). */
export type Highlight = (language: string, code: string) => Line[] | undefined;

export interface MarkdownLook {
  readonly mode: MarkdownMode;
  /** Undefined until the library is loaded; text is then shown as it is. */
  readonly lexer: Lexer | undefined;
  readonly highlight: Highlight;
  /** What is drawn stands in a list item. */
  readonly isInItem?: boolean;
}

/** Markdown as rows. `strip` takes the markup away and gives no styles; `raw` shows what the model wrote. */
export function markdownRows(text: string, columns: number, look: MarkdownLook): Line[] {
  if (look.mode === "raw" || look.lexer === undefined) return wrapText(text, columns);
  const rows = blocks(look.lexer(text), columns, look);
  return look.mode === "strip" ? rows.map((row) => row.map(({ text: plain }) => ({ text: plain }))) : rows;
}

function blocks(tokens: readonly Token[], columns: number, look: MarkdownLook): Line[] {
  const rows: Line[] = [];
  let isFirst = true;
  for (const token of tokens) {
    if (token.type === "space") continue;
    const block = blockRows(token as BlockToken, columns, look);
    if (!isFirst && needsGap(token, look)) rows.push([]);
    rows.push(...block);
    isFirst = false;
  }
  return rows;
}

/** Code of a list item follows its text: it is indented, and the next item comes right below it. */
function needsGap(token: Token, { isInItem = false }: MarkdownLook): boolean {
  return token.type !== "text" && token.type !== "list" && !(isInItem && token.type === "code");
}

type BlockToken =
  | Tokens.Heading
  | Tokens.Paragraph
  | Tokens.List
  | Tokens.Blockquote
  | Tokens.Code
  | Tokens.Hr
  | Tokens.Table
  | Tokens.Text
  | Tokens.HTML;

function blockRows(token: BlockToken, columns: number, look: MarkdownLook): Line[] {
  switch (token.type) {
    case "heading":
      return flow(inlineSpans(token.tokens, "heading"), columns);
    case "paragraph":
      return flow(inlineSpans(token.tokens), columns);
    case "text":
      return flow(token.tokens === undefined ? [{ text: token.text }] : inlineSpans(token.tokens), columns);
    case "list":
      return token.items.flatMap((item, index) => itemRows(item, marker(token, item, index), { columns, look }));
    case "blockquote":
      return blocks(token.tokens, columns - 2, look).map((row) => [
        { text: "│ ", style: "dim" },
        ...row.map((span) => ({ style: "quote", ...span })),
      ]);
    case "code":
      return codeRows({ language: token.lang ?? "", lines: token.text.split("\n") }, columns, look);
    case "hr":
      return [rule(columns, "rule")];
    case "table":
      return tableRows(token, columns);
    default:
      return wrapText(token.raw.replace(/\n+$/, ""), columns);
  }
}

function marker(list: Tokens.List, item: Tokens.ListItem, index: number): string {
  if (item.task) return item.checked === true ? "☑ " : "☐ ";
  return list.ordered ? `${Number(list.start === "" ? 1 : list.start) + index}. ` : "• ";
}

function itemRows(item: Tokens.ListItem, bullet: string, at: { columns: number; look: MarkdownLook }): Line[] {
  const indent = " ".repeat(bullet.length);
  const inner = item.tokens.filter((token) => token.type !== "checkbox");
  const rows = blocks(inner, Math.max(8, at.columns - bullet.length), { ...at.look, isInItem: true });
  return (rows.length === 0 ? [[]] : rows).map((row, index) => [
    index === 0 ? { text: bullet, style: "bullet" } : { text: indent },
    ...row,
  ]);
}

/** Code keeps its rows; a row that is too long is broken where the terminal ends. */
export function codeRows(
  code: { readonly language: string; readonly lines: readonly string[] },
  columns: number,
  look: MarkdownLook,
): Line[] {
  const source = code.lines.map((line) => line.replaceAll("\t", "    "));
  const isStyled = look.mode === "render";
  const lit = isStyled ? look.highlight(code.language, source.join("\n")) : undefined;
  const rows = lit ?? source.map((text): Line => [{ text }]);
  return rows.flatMap((row) => wrapLine([{ text: "  " }, ...row], columns, { hang: [{ text: "  " }] }));
}

/** Rows of flowing text: breaks in the source stay breaks. */
function flow(spans: readonly Span[], columns: number): Line[] {
  const rows: Span[][] = [[]];
  for (const span of spans) {
    for (const [index, part] of span.text.split("\n").entries()) {
      if (index > 0) rows.push([]);
      if (part !== "" || span.isCursor === true) rows.at(-1)?.push({ ...span, text: part });
    }
  }
  return rows.flatMap((row) => wrapLine(row, columns));
}

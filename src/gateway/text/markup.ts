import { lexer, type Token, type Tokens } from "marked";
import { escapeHtml } from "#foundation/text/html";

/**
 * How a platform writes what Markdown means. Every function gets finished text of this style, except `text`, `code`,
 * `block` and addresses, which get it as the author wrote it.
 */
export interface MarkupStyle {
  text(text: string): string;
  strong(content: string): string;
  emphasis(content: string): string;
  struck(content: string): string;
  code(text: string): string;
  block(text: string, language: string): string;
  link(content: string, url: string): string;
  image(alt: string, url: string): string;
  heading(content: string, level: number): string;
  quote(content: string): string;
  /** A table as the author wrote it: where a platform has none, its lines are shown as code. */
  table(source: string, rows: readonly (readonly string[])[]): string;
  bullet(marker: string): string;
  rule(): string;
}

/** Markdown in the style of a platform. Blank lines stay as they were written; what is not Markdown stays text. */
export function renderMarkdown(markdown: string, style: MarkupStyle): string {
  return blocks(lexer(markdown), style).trimEnd();
}

function blocks(tokens: readonly Token[], style: MarkupStyle): string {
  return tokens.map((token) => `${block(token, style)}${lineEnds(token.raw)}`).join("");
}

function lineEnds(raw: string): string {
  return /\n*$/u.exec(raw)?.[0] ?? "";
}

function block(token: Token, style: MarkupStyle): string {
  switch (token.type) {
    case "space":
      return "";
    case "heading":
      return style.heading(inline(token.tokens ?? [], style), (token as Tokens.Heading).depth);
    case "code":
      return style.block((token as Tokens.Code).text, (token as Tokens.Code).lang?.split(/\s/u)[0] ?? "");
    case "blockquote":
      return style.quote(blocks(token.tokens ?? [], style).trimEnd());
    case "list":
      return list(token as Tokens.List, style);
    case "table":
      return table(token as Tokens.Table, style);
    case "hr":
      return style.rule();
    case "paragraph":
      return inline(token.tokens ?? [], style);
    case "text":
      return token.tokens === undefined ? style.text(token.raw.trimEnd()) : inline(token.tokens, style);
    default:
      return style.text(token.raw.trimEnd());
  }
}

function list(token: Tokens.List, style: MarkupStyle): string {
  const first = typeof token.start === "number" ? token.start : 1;
  return token.items
    .map((item, index) => {
      const marker = token.ordered ? `${first + index}.` : "-";
      const box = item.task ? `${item.checked === true ? "☑" : "☐"} ` : "";
      const content = `${box}${blocks(item.tokens, style).trimEnd()}`;
      const indented = content.replaceAll("\n", `\n${" ".repeat(marker.length + 1)}`);
      const gap = token.loose && index < token.items.length - 1 ? "\n" : "";
      return `${style.bullet(marker)} ${indented}${gap}`;
    })
    .join("\n");
}

function table(token: Tokens.Table, style: MarkupStyle): string {
  const row = (cells: readonly Tokens.TableCell[]): string[] => cells.map((cell) => inline(cell.tokens, style));
  return style.table(token.raw.trimEnd(), [row(token.header), ...token.rows.map(row)]);
}

function inline(tokens: readonly Token[], style: MarkupStyle): string {
  return tokens.map((token) => inlineOne(token, style)).join("");
}

function inlineOne(token: Token, style: MarkupStyle): string {
  const inner = (): string => inline(("tokens" in token ? token.tokens : undefined) ?? [], style);
  switch (token.type) {
    case "strong":
      return style.strong(inner());
    case "em":
      return emphasis(token as Tokens.Em, style);
    case "del":
      return style.struck(inner());
    case "codespan":
      return style.code((token as Tokens.Codespan).text);
    case "br":
      return "\n";
    case "link":
      return style.link(inner(), (token as Tokens.Link).href);
    case "image":
      return style.image((token as Tokens.Image).text, (token as Tokens.Image).href);
    case "escape":
      return style.text((token as Tokens.Escape).text);
    case "text":
      return token.tokens === undefined ? style.text((token as Tokens.Text).text) : inner();
    default:
      return style.text(token.raw);
  }
}

/** `***both***` is bold outside and slanted inside, whichever way it was read. */
function emphasis(token: Tokens.Em, style: MarkupStyle): string {
  const [only] = token.tokens;
  if (token.tokens.length === 1 && only?.type === "strong")
    return style.strong(style.emphasis(inline(only.tokens ?? [], style)));
  return style.emphasis(inline(token.tokens, style));
}

/** Markdown without its marks, for platforms that show letters only and for when markup was refused. */
export const plainStyle: MarkupStyle = {
  text: (text) => text,
  strong: (content) => content,
  emphasis: (content) => content,
  struck: (content) => content,
  code: (text) => text,
  block: (text) => text,
  link: (content, url) => (content === url || `mailto:${content}` === url ? content : `${content} (${url})`),
  image: (alt, url) => (alt === "" ? url : `${alt} (${url})`),
  heading: (content) => content,
  quote: (content) => content.replaceAll(/^/gmu, "> "),
  table: (source) => source,
  bullet: (marker) => marker,
  rule: () => "---",
};

const safeAddress = /^(?:https?:|mailto:|tel:|matrix:)/iu;

/** HTML that holds nothing but what is written here: the author's own tags are text, other addresses than links' are dropped. */
export const htmlStyle: MarkupStyle = {
  text: (text) => escapeHtml(text).replaceAll("\n", "<br>"),
  strong: (content) => `<strong>${content}</strong>`,
  emphasis: (content) => `<em>${content}</em>`,
  struck: (content) => `<del>${content}</del>`,
  code: (text) => `<code>${escapeHtml(text)}</code>`,
  block: (text, language) => {
    const name = /^[\w+#.-]+$/u.test(language) ? ` class="language-${language}"` : "";
    return `<pre><code${name}>${escapeHtml(text)}</code></pre>`;
  },
  link: (content, url) => (safeAddress.test(url) ? `<a href="${escapeHtml(url)}">${content}</a>` : content),
  image: (alt, url) => (safeAddress.test(url) ? `<a href="${escapeHtml(url)}">${escapeHtml(alt || url)}</a>` : alt),
  heading: (content, level) => `<h${level}>${content}</h${level}>`,
  quote: (content) => `<blockquote>${content}</blockquote>`,
  table: (_source, [head = [], ...rows]) => {
    const row = (tag: string, cells: readonly string[]): string =>
      `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join("")}</tr>`;
    return `<table>${row("th", head)}${rows.map((cells) => row("td", cells)).join("")}</table>`;
  },
  bullet: (marker) => (marker === "-" ? "•" : marker),
  rule: () => "<hr>",
};

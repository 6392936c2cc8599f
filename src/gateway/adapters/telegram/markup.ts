import type { MarkupStyle } from "../../text/markup.ts";

const reserved = /[_*[\]()~`>#+\-=|{}.!\\]/gu;

function escaped(text: string): string {
  return text.replaceAll(reserved, "\\$&");
}

function escapeCode(text: string): string {
  return text.replaceAll(/[`\\]/gu, "\\$&");
}

/** MarkdownV2: every reserved character that is not markup is escaped, or the whole message is refused. */
export const telegramStyle: MarkupStyle = {
  // `||hidden||` is Telegram's own and may be written by the model.
  text: (text) =>
    text
      .split(/(\|\|[^|\n]+\|\|)/u)
      .map((part, index) => (index % 2 === 1 ? `||${escaped(part.slice(2, -2))}||` : escaped(part)))
      .join(""),
  strong: (content) => `*${content}*`,
  emphasis: (content) => `_${content}_`,
  struck: (content) => `~${content}~`,
  code: (text) => `\`${escapeCode(text)}\``,
  block: (text, language) => `\`\`\`${language}\n${escapeCode(text)}\n\`\`\``,
  link: (content, url) => `[${content}](${url.replaceAll(/[)\\]/gu, "\\$&")})`,
  image: (alt, url) => `[${escaped(alt === "" ? url : alt)}](${url.replaceAll(/[)\\]/gu, "\\$&")})`,
  // Bold inside bold does not exist.
  heading: (content) => `*${content.replaceAll(/(?<!\\)\*/gu, "")}*`,
  quote: (content) => content.replaceAll(/^/gmu, ">"),
  table: (source) => `\`\`\`\n${escapeCode(source)}\n\`\`\``,
  bullet: (marker) => (marker === "-" ? "•" : escaped(marker)),
  rule: () => escaped("---"),
};

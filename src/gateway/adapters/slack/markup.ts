import type { MarkupStyle } from "../../text/markup.ts";

/** Mentions, channels and links that are Slack's own already. */
const entity = /(<(?:[@#!][^<>\s]+|https?:[^<>\s]+|mailto:[^<>\s]+)>)/u;

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Slack's mrkdwn. */
export const slackStyle: MarkupStyle = {
  text: (text) =>
    text
      .split(entity)
      .map((part, index) => (index % 2 === 1 ? part : escaped(part)))
      .join(""),
  strong: (content) => `*${content}*`,
  emphasis: (content) => `_${content}_`,
  struck: (content) => `~${content}~`,
  code: (text) => `\`${escaped(text)}\``,
  block: (text) => `\`\`\`\n${escaped(text)}\n\`\`\``,
  link: (content, url) => `<${url.replaceAll(/[<>|]/gu, encodeURIComponent)}|${content.replaceAll("|", "¦")}>`,
  image: (alt, url) => `<${url.replaceAll(/[<>|]/gu, encodeURIComponent)}|${escaped(alt === "" ? url : alt)}>`,
  heading: (content) => `*${content.replaceAll("*", "")}*`,
  quote: (content) => content.replaceAll(/^/gmu, "> "),
  table: (source) => `\`\`\`\n${escaped(source)}\n\`\`\``,
  bullet: (marker) => (marker === "-" ? "•" : marker),
  rule: () => "———",
};

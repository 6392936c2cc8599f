import { escapeHtml } from "#foundation/text/html";
import type { MarkupStyle } from "../../text/markup.ts";

const isSafe = (url: string): boolean => /^(?:https?|mailto|matrix|mxc):/iu.test(url);

function link(content: string, url: string): string {
  return isSafe(url) ? `<a href="${escapeHtml(url)}">${content}</a>` : `${content} (${escapeHtml(url)})`;
}

/** The HTML that Matrix clients show. */
export const matrixStyle: MarkupStyle = {
  text: escapeHtml,
  strong: (content) => `<strong>${content}</strong>`,
  emphasis: (content) => `<em>${content}</em>`,
  struck: (content) => `<del>${content}</del>`,
  code: (text) => `<code>${escapeHtml(text)}</code>`,
  block: (text, language) =>
    `<pre><code${language === "" ? "" : ` class="language-${escapeHtml(language)}"`}>${escapeHtml(text)}</code></pre>`,
  link,
  image: (alt, url) => link(escapeHtml(alt === "" ? url : alt), url),
  heading: (content, level) => `<h${level}>${content}</h${level}>`,
  quote: (content) => `<blockquote>${content}</blockquote>`,
  table: (source) => `<pre><code>${escapeHtml(source)}</code></pre>`,
  bullet: (marker) => (marker === "-" ? "•" : marker),
  rule: () => "<hr>",
};

/** Lines are lines in HTML too; code keeps its own. */
export function withBreaks(html: string): string {
  return html
    .split(/(<pre>[\s\S]*?<\/pre>)/u)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll("\n", "<br>")))
    .join("");
}

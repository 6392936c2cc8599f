const spacedByThemselves = /(<\/(?:h[1-6]|pre|table|blockquote)>|<hr>)\n+/gu;
const preformatted = /(<pre>[\s\S]*?<\/pre>)/u;

/** Line ends between the blocks of an HTML text, written so that a mail program shows them. */
export function withLineBreaks(html: string): string {
  return html
    .split(preformatted)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(spacedByThemselves, "$1").replaceAll("\n", "<br>")))
    .join("")
    .replaceAll(/(<\/pre>)(?:<br>)+/gu, "$1");
}

/** What a person reads in an HTML mail, as Markdown: no scripts, no styles, no pictures that only report who looked. */
export async function textOfHtml(html: string): Promise<string> {
  const [{ parseHTML }, { default: Turndown }] = await Promise.all([import("linkedom"), import("turndown")]);
  // The parser invents no missing elements, as browsers do.
  const body = html
    .replace(/<head[\s>][\s\S]*?<\/head>/iu, "")
    .replaceAll(/<!doctype[^>]*>|<\/?(?:html|body)(?:\s[^>]*)?>/giu, "");
  const { document } = parseHTML(`<html><body>${body}</body></html>`);
  const turndown = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  turndown.remove(["script", "style", "noscript", "iframe", "template", "title", "img"] as never);
  return turndown.turndown(document.body as never).trim();
}

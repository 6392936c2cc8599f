import { Marked, type MarkedExtension } from "marked";
import { escapeHtml } from "#foundation/text/html";

export interface Utterance {
  readonly who: "You" | "Hermes" | "Tool";
  readonly text: string;
}

const style = `
:root{color-scheme:light dark}
body{font:16px/1.6 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem}
h2.who{font-size:.8rem;color:GrayText;margin:2rem 0 0;font-weight:600}
pre{overflow-x:auto;padding:.8rem;border-radius:6px;background:color-mix(in srgb,CanvasText 7%,Canvas)}
code{font:.9em ui-monospace,monospace}
table{border-collapse:collapse;display:block;overflow-x:auto}th,td{border:1px solid GrayText;padding:.3rem .6rem}
blockquote{margin-inline:0;padding-inline-start:1rem;border-inline-start:3px solid GrayText}
.you .words{white-space:pre-wrap}
.tool{font-size:.85rem;color:GrayText}.tool pre{white-space:pre-wrap;overflow-wrap:anywhere}`;

/**
 * A conversation as one page that needs nothing else. What the model wrote is rendered; markup in anybody's words is shown as
 * the words it is, pictures are links, and the page itself forbids scripts and everything from elsewhere.
 */
export function conversationPage(title: string, utterances: readonly Utterance[]): string {
  const marked = new Marked(onlyWords);
  const parts = utterances.map(
    ({ who, text }) => `<section class="${who.toLowerCase()}">${bodyOf(marked, who, text)}</section>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title><style>${style}</style></head><body>
<h1>${escapeHtml(title)}</h1>
${parts.join("\n")}
</body></html>
`;
}

function bodyOf(marked: Marked, who: Utterance["who"], text: string): string {
  if (who === "Tool") {
    const name = text.split(" ", 1)[0] ?? "";
    return `<details><summary>${escapeHtml(name)}</summary><pre>${escapeHtml(text)}</pre></details>`;
  }
  const words = who === "You" ? escapeHtml(text) : (marked.parse(text, { async: false }) as string);
  return `<h2 class="who">${who}</h2><div class="words">${words}</div>`;
}

const onlyWords: MarkedExtension = {
  renderer: {
    html: ({ text }) => escapeHtml(text),
    image: ({ href, text }) => linkTo(href, escapeHtml(text === "" ? href : text)),
    link(token) {
      return linkTo(token.href, this.parser.parseInline(token.tokens));
    },
  },
};

/** Only to addresses that lead somewhere and run nothing. */
function linkTo(href: string, words: string): string {
  return /^(?:https?:|mailto:)/iu.test(href) ? `<a rel="noreferrer" href="${escapeHtml(href)}">${words}</a>` : words;
}

import { decodeText, documentKind, type FetchedDocument, type PageText, readAsIs } from "./document.ts";

/** Readability takes about 70 ms per thousand elements; beyond this the page is turned into text as a whole. */
const mostElements = 10_000;

/** A page, PDF or text document as Markdown. Takes seconds for large ones: `PageThread` runs it aside. */
export async function readPage(page: FetchedDocument): Promise<PageText> {
  const kind = documentKind(page);
  switch (kind) {
    case "pdf":
      return readPdf(page.body);
    case "html":
      return readHtml(decodeText(page), page.url);
    case "plain":
    case "other":
      return readAsIs(page, kind);
  }
}

async function readHtml(html: string, url: string): Promise<PageText> {
  const [{ parseHTML }, { Readability }, { default: Turndown }] = await Promise.all([
    import("linkedom"),
    import("@mozilla/readability"),
    import("turndown"),
  ]);
  const { document } = parseHTML(complete(html));
  const title = document.querySelector("title")?.textContent?.trim() ?? "";
  resolveLinks(document, url);
  const whole = document.body?.innerHTML ?? html;
  const isSmall = document.querySelectorAll("*").length <= mostElements;
  // Readability rearranges the document it is given, so the whole page is kept aside before.
  const article = isSmall ? new Readability(document as never, { charThreshold: 250 }).parse() : null;
  const turndown = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  turndown.remove(["script", "style", "noscript", "iframe", "template", "title"] as never);
  const source = article?.content ?? whole;
  const markdown = turndown.turndown(parseHTML(`<html><body>${source}</body></html>`).document.body as never).trim();
  return { kind: "text", title: article?.title?.trim() || title, markdown };
}

/** The parser invents no missing parts, as browsers do; without a body it would see nothing. */
function complete(html: string): string {
  if (/<body[\s>]/i.test(html)) return /<html[\s>]/i.test(html) ? html : `<html>${html}</html>`;
  const bare = html.replace(/<!doctype[^>]*>/i, "").replace(/<\/?html[^>]*>/gi, "");
  const head = /<head[\s>][\s\S]*?<\/head>/i.exec(bare)?.[0] ?? "";
  return `<html>${head === "" ? "<head></head>" : head}<body>${bare.replace(head, "")}</body></html>`;
}

function resolveLinks(document: Document, url: string): void {
  for (const [selector, name] of [
    ["a[href]", "href"],
    ["img[src]", "src"],
  ] as const) {
    for (const element of document.querySelectorAll(selector)) {
      try {
        element.setAttribute(name, new URL(element.getAttribute(name) ?? "", url).href);
      } catch {
        element.removeAttribute(name);
      }
    }
  }
}

async function readPdf(body: Uint8Array): Promise<PageText> {
  const { extractText, getDocumentProxy } = await import("unpdf");
  try {
    const document = await getDocumentProxy(new Uint8Array(body), { verbosity: 0 });
    const { text, totalPages } = await extractText(document, { mergePages: false });
    const markdown = text
      .map((page, index) => (totalPages > 1 ? `## Page ${index + 1}\n\n${page}` : page))
      .join("\n\n");
    if (markdown.trim() === "") return { kind: "unreadable", reason: "the PDF holds no text, only images" };
    return { kind: "text", title: "", markdown };
  } catch (error) {
    return {
      kind: "unreadable",
      reason: `the PDF could not be read (${error instanceof Error ? error.name : "error"})`,
    };
  }
}

interface Document {
  querySelectorAll(selector: string): Iterable<{
    getAttribute(name: string): string | null;
    setAttribute(name: string, value: string): void;
    removeAttribute(name: string): void;
  }>;
}

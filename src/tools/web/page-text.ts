/** What can be read of a fetched document. */
export type PageText =
  | { readonly kind: "text"; readonly title: string; readonly markdown: string }
  | { readonly kind: "unreadable"; readonly reason: string };

export interface FetchedDocument {
  readonly url: string;
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** Readability holds this thread for about 70 ms per thousand elements; beyond this the page is turned into text as a whole. */
const mostElements = 10_000;

/** A page, PDF or text document as Markdown; chosen by what it is, not only by what it says it is. */
export async function readPage(page: FetchedDocument): Promise<PageText> {
  const type = page.contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "application/pdf" || startsWith(page.body, "%PDF-")) return readPdf(page.body);
  const isText = type === "" || /^text\/|json|xml|javascript|yaml|markdown/.test(type);
  if (!isText) return { kind: "unreadable", reason: `a document of type ${type} has no text that could be read` };
  const text = decode(page.body, page.contentType);
  if (type.includes("html") || (type === "" && /<html|<body|<!doctype html/i.test(text.slice(0, 2000))))
    return readHtml(text, page.url);
  return { kind: "text", title: "", markdown: text };
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

function decode(body: Uint8Array, contentType: string): string {
  const head = new TextDecoder("latin1").decode(body.subarray(0, 2048));
  const charset =
    /charset=["']?([\w-]+)/i.exec(contentType)?.[1] ?? /<meta[^>]+charset=["']?([\w-]+)/i.exec(head)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder("utf-8").decode(body);
  }
}

function startsWith(body: Uint8Array, text: string): boolean {
  return Buffer.from(body.subarray(0, text.length)).toString("latin1") === text;
}

interface Document {
  querySelectorAll(selector: string): Iterable<{
    getAttribute(name: string): string | null;
    setAttribute(name: string, value: string): void;
    removeAttribute(name: string): void;
  }>;
}

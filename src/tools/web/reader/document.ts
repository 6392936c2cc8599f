/** What can be read of a fetched document. */
export type PageText =
  | { readonly kind: "text"; readonly title: string; readonly markdown: string }
  | { readonly kind: "unreadable"; readonly reason: string };

export interface FetchedDocument {
  readonly url: string;
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** Turns a document into text; gives up when the signal fires. */
export type ReadDocument = (page: FetchedDocument, signal: AbortSignal) => Promise<PageText>;

export type DocumentKind = "pdf" | "html" | "plain" | "other";

/** Decided by what a document is, not only by what it says it is. */
export function documentKind(page: FetchedDocument): DocumentKind {
  const type = mediaType(page);
  if (type === "application/pdf" || headOf(page, 5) === "%PDF-") return "pdf";
  if (type !== "" && !/^text\/|json|xml|javascript|yaml|markdown/.test(type)) return "other";
  if (type.includes("html")) return "html";
  return type === "" && /<html|<body|<!doctype html/i.test(headOf(page, 2_000)) ? "html" : "plain";
}

function mediaType(page: FetchedDocument): string {
  return page.contentType.split(";")[0]?.trim().toLowerCase() ?? "";
}

/** Documents that need no parser. */
export function readAsIs(page: FetchedDocument, kind: "plain" | "other"): PageText {
  if (kind === "plain") return { kind: "text", title: "", markdown: decodeText(page) };
  return { kind: "unreadable", reason: `a document of type ${mediaType(page)} has no text that could be read` };
}

/** The text of a document in the character set it names. */
export function decodeText(page: FetchedDocument): string {
  const charset =
    /charset=["']?([\w-]+)/i.exec(page.contentType)?.[1] ??
    /<meta[^>]+charset=["']?([\w-]+)/i.exec(headOf(page, 2_048))?.[1] ??
    "utf-8";
  return decoderOf(charset).decode(page.body);
}

function decoderOf(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset);
  } catch {
    // A character set nobody knows: most pages are UTF-8 whatever they say.
    return new TextDecoder("utf-8");
  }
}

function headOf(page: FetchedDocument, bytes: number): string {
  return Buffer.from(page.body.subarray(0, bytes)).toString("latin1");
}

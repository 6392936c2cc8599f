import type { SafeFetch } from "../../network/safe-fetch.ts";
import type { JudgeAddress, PageAnswer, WebBackend } from "../backend.ts";
import type { ReadDocument } from "../reader/document.ts";

const maxBytes = 50_000_000;
const timeoutMs = 60_000;

/** Reads pages itself: needs no service, and every hop is judged before it is visited. */
export function builtInReader(fetch: SafeFetch, readDocument: ReadDocument): WebBackend {
  const read = async (url: string, signal: AbortSignal, judge?: JudgeAddress): Promise<PageAnswer> => {
    const page = await fetch(url, {
      maxBytes,
      timeoutMs,
      signal,
      judge: judge && ((address) => judge(address, url)),
      headers: {
        "user-agent": "Mozilla/5.0 (compatible; Hermes)",
        accept: "text/html,application/xhtml+xml,application/pdf,text/*;q=0.9,*/*;q=0.5",
      },
    });
    if (page.kind === "refused") return { kind: "failed", url, reason: page.reason, isPolicy: page.isPolicy };
    if (page.kind === "failed") return { kind: "failed", url, reason: page.reason };
    if (page.status >= 400) return { kind: "failed", url, reason: `the site answered with HTTP ${page.status}` };
    const text = await readDocument(page, signal);
    if (text.kind === "unreadable") return { kind: "failed", url, reason: text.reason };
    return { kind: "page", url, finalUrl: page.url, title: text.title, markdown: text.markdown };
  };
  return {
    name: "built-in",
    extract: (urls, signal, judge) => Promise.all(urls.map((url) => read(url, signal, judge))),
  };
}

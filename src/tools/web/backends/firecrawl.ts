import { defined } from "#foundation/defined";
import type { Secret } from "#foundation/secrets/secret";
import { isRecord } from "#foundation/text/json";
import type { PageAnswer, WebBackend } from "../backend.ts";
import { callService, listAt, textField } from "../service-call.ts";
import { toHits } from "../to-hits.ts";

export interface FirecrawlOptions {
  /** Origin of the service, an own installation or the managed gateway. */
  readonly origin: string;
  readonly key?: Secret;
}

const pageTimeoutMs = 60_000;

export function firecrawl({ origin, key }: FirecrawlOptions): WebBackend {
  const base = origin.replace(/\/$/, "");
  const auth = defined({ token: key });
  const scrape = async (url: string, signal: AbortSignal): Promise<PageAnswer> => {
    const answer = await callService(`${base}/v2/scrape`, {
      json: { url, formats: ["markdown"] },
      timeoutMs: pageTimeoutMs,
      signal,
      ...auth,
    });
    if (answer.kind === "failed") return { kind: "failed", url, reason: answer.reason };
    const page = isRecord(answer.value) && isRecord(answer.value["data"]) ? answer.value["data"] : answer.value;
    const facts = isRecord(page) ? page["metadata"] : undefined;
    const finalUrl = textField(facts, "url", "sourceURL");
    return {
      kind: "page",
      url,
      ...(finalUrl === "" ? {} : { finalUrl }),
      title: textField(facts, "title"),
      markdown: textField(page, "markdown", "html"),
    };
  };
  return {
    name: "firecrawl",
    async search(query, limit, signal) {
      const answer = await callService(`${base}/v2/search`, { json: { query, limit }, signal, ...auth });
      if (answer.kind === "failed") return answer;
      return { kind: "hits", hits: toHits(listAt(answer.value, "data", "data.web", "data.results", "web", "results")) };
    },
    async extract(urls, signal) {
      const pages: PageAnswer[] = [];
      for (const url of urls) pages.push(await scrape(url, signal));
      return pages;
    },
  };
}

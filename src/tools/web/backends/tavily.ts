import type { Secret } from "#foundation/secrets/secret";
import { allFailed, inOrder, type PageAnswer, type WebBackend } from "../backend.ts";
import { callService, listAt, textField } from "../service-call.ts";
import { toHits } from "../to-hits.ts";

export interface TavilyOptions {
  readonly key: Secret;
  readonly origin?: string;
}

const mostHits = 20;

/** The key travels in the body; that is how this service wants it. */
export function tavily({ key, origin = "https://api.tavily.com" }: TavilyOptions): WebBackend {
  const base = origin.replace(/\/$/, "");
  return {
    name: "tavily",
    async search(query, limit, signal) {
      const json = { api_key: key.reveal(), query, max_results: Math.min(limit, mostHits) };
      const answer = await callService(`${base}/search`, { json, signal });
      if (answer.kind === "failed") return answer;
      return { kind: "hits", hits: toHits(listAt(answer.value, "results")) };
    },
    async extract(urls, signal) {
      const json = { api_key: key.reveal(), urls, format: "markdown" };
      const answer = await callService(`${base}/extract`, { json, signal });
      if (answer.kind === "failed") return allFailed(urls, answer.reason);
      const pages = listAt(answer.value, "results").map(
        (page): PageAnswer => ({
          kind: "page",
          url: textField(page, "url"),
          title: textField(page, "title"),
          markdown: textField(page, "raw_content", "content"),
        }),
      );
      const errors = listAt(answer.value, "failed_results").map(
        (error): PageAnswer => ({
          kind: "failed",
          url: textField(error, "url"),
          reason: textField(error, "error") || "the page could not be read",
        }),
      );
      return inOrder(urls, [...pages, ...errors]);
    },
  };
}

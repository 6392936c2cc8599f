import type { Secret } from "#foundation/secrets/secret";
import { allFailed, inOrder, type PageAnswer, type WebBackend } from "../backend.ts";
import { callService, listAt, textField } from "../service-call.ts";
import { toHits } from "../to-hits.ts";

export interface ParallelOptions {
  readonly key: Secret;
  readonly origin?: string;
  readonly mode?: string;
}

const modes = new Set(["agentic", "fast", "one-shot"]);
const mostHits = 20;

export function parallel({ key, origin = "https://api.parallel.ai", mode = "agentic" }: ParallelOptions): WebBackend {
  const headers = { "x-api-key": key.reveal(), "parallel-beta": "search-extract-2025-10-10" };
  return {
    name: "parallel",
    async search(query, limit, signal) {
      const answer = await callService(`${origin}/v1beta/search`, {
        json: {
          objective: query,
          search_queries: [query],
          max_results: Math.min(limit, mostHits),
          mode: modes.has(mode) ? mode : "agentic",
        },
        headers,
        signal,
      });
      if (answer.kind === "failed") return answer;
      return { kind: "hits", hits: toHits(listAt(answer.value, "results")) };
    },
    async extract(urls, signal) {
      const answer = await callService(`${origin}/v1beta/extract`, {
        json: { urls, full_content: true, excerpts: false },
        headers,
        signal,
      });
      if (answer.kind === "failed") return allFailed(urls, answer.reason);
      const pages = listAt(answer.value, "results").map(
        (page): PageAnswer => ({
          kind: "page",
          url: textField(page, "url"),
          title: textField(page, "title"),
          markdown: textField(page, "full_content"),
        }),
      );
      const errors = listAt(answer.value, "errors").map(
        (error): PageAnswer => ({
          kind: "failed",
          url: textField(error, "url"),
          reason: textField(error, "content", "error_type", "message") || "the page could not be read",
        }),
      );
      return inOrder(urls, [...pages, ...errors]);
    },
  };
}

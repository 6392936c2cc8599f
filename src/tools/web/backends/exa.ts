import type { Secret } from "#foundation/secrets/secret";
import { allFailed, inOrder, type PageAnswer, type WebBackend } from "../backend.ts";
import { callService, listAt, textField } from "../service-call.ts";
import { toHits } from "../to-hits.ts";

export interface ExaOptions {
  readonly key: Secret;
  readonly origin?: string;
}

export function exa({ key, origin = "https://api.exa.ai" }: ExaOptions): WebBackend {
  const headers = { "x-api-key": key.reveal() };
  return {
    name: "exa",
    async search(query, limit, signal) {
      const json = { query, numResults: limit, contents: { highlights: true } };
      const answer = await callService(`${origin}/search`, { json, headers, signal });
      if (answer.kind === "failed") return answer;
      return { kind: "hits", hits: toHits(listAt(answer.value, "results")) };
    },
    async extract(urls, signal) {
      const answer = await callService(`${origin}/contents`, { json: { urls, text: true }, headers, signal });
      if (answer.kind === "failed") return allFailed(urls, answer.reason);
      const pages = listAt(answer.value, "results").map(
        (page): PageAnswer => ({
          kind: "page",
          url: textField(page, "url", "id"),
          title: textField(page, "title"),
          markdown: textField(page, "text"),
        }),
      );
      return inOrder(urls, pages);
    },
  };
}

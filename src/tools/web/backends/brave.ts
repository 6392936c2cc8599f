import type { Secret } from "#foundation/secrets/secret";
import type { WebBackend } from "../backend.ts";
import { callService, listAt } from "../service-call.ts";
import { toHits } from "../to-hits.ts";

export interface BraveOptions {
  readonly key: Secret;
  readonly origin?: string;
}

export function brave({ key, origin = "https://api.search.brave.com" }: BraveOptions): WebBackend {
  return {
    name: "brave",
    async search(query, limit, signal) {
      const url = new URL(`${origin}/res/v1/web/search`);
      url.searchParams.set("q", query);
      url.searchParams.set("count", String(limit));
      const answer = await callService(url.href, { headers: { "x-subscription-token": key.reveal() }, signal });
      if (answer.kind === "failed") return answer;
      return { kind: "hits", hits: toHits(listAt(answer.value, "web.results")).slice(0, limit) };
    },
  };
}

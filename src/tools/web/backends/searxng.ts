import type { WebBackend } from "../backend.ts";
import { callService, listAt } from "../service-call.ts";
import { toHits } from "../to-hits.ts";

/** An own metasearch installation; it must have the JSON format switched on. */
export function searxng({ origin }: { readonly origin: string }): WebBackend {
  return {
    name: "searxng",
    async search(query, limit, signal) {
      const url = new URL(`${origin.replace(/\/$/, "")}/search`);
      url.searchParams.set("q", query);
      url.searchParams.set("format", "json");
      const answer = await callService(url.href, { signal });
      if (answer.kind === "failed") return answer;
      return { kind: "hits", hits: toHits(listAt(answer.value, "results")).slice(0, limit) };
    },
  };
}

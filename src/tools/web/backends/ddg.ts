import { httpRequest } from "#foundation/http/request";
import type { SearchHit, WebBackend } from "../backend.ts";

/** Needs no key: reads the plain result page meant for browsers without scripts. */
export function ddg({ origin = "https://html.duckduckgo.com" }: { readonly origin?: string } = {}): WebBackend {
  return {
    name: "ddg",
    async search(query, limit, signal) {
      const response = await httpRequest(`${origin}/html/`, {
        method: "POST",
        body: new URLSearchParams({ q: query }),
        headers: { "user-agent": "Mozilla/5.0 (compatible; Hermes)", accept: "text/html" },
        signal,
        timeoutMs: 20_000,
        maxBodyBytes: 3_000_000,
      });
      signal.throwIfAborted();
      if (response.kind === "failure") return { kind: "failed", reason: response.failure.message };
      const read = await response.text();
      if (read.kind === "failure") return { kind: "failed", reason: read.failure.message };
      if (response.status !== 200) return { kind: "failed", reason: `HTTP ${response.status}` };
      const hits = await readResultPage(read.text);
      if (hits.length === 0 && /anomaly|captcha/i.test(read.text))
        return { kind: "failed", reason: "the search engine asks for a human; configure another web backend" };
      return { kind: "hits", hits: hits.slice(0, limit) };
    },
  };
}

async function readResultPage(html: string): Promise<readonly SearchHit[]> {
  const { parseHTML } = await import("linkedom");
  const { document } = parseHTML(html);
  const hits: SearchHit[] = [];
  for (const entry of document.querySelectorAll(".result")) {
    const link = entry.querySelector("a.result__a");
    const url = targetOf(link?.getAttribute("href") ?? "");
    if (entry.classList.contains("result--ad") || url === undefined) continue;
    hits.push({
      title: link?.textContent?.trim() ?? "",
      url,
      description: entry.querySelector(".result__snippet")?.textContent?.trim() ?? "",
    });
  }
  return hits;
}

/** Result links lead through the engine's own redirect, with the real address in `uddg`. */
function targetOf(href: string): string | undefined {
  try {
    const url = new URL(href, "https://duckduckgo.com/");
    const target = url.searchParams.get("uddg") ?? url.href;
    return /^https?:/.test(target) && !target.includes("duckduckgo.com/y.js") ? target : undefined;
  } catch {
    return undefined;
  }
}

import { never } from "#foundation/lifecycle/abort";
import type { Secret } from "#foundation/secrets/secret";
import { callService, textField } from "../../web/service-call.ts";
import type { BrowserProvider, ProviderAnswer } from "./provider.ts";

export interface FirecrawlBrowserOptions {
  readonly key: Secret;
  readonly origin?: string;
  readonly ttlSeconds?: number;
}

export function firecrawlBrowser({
  key,
  origin = "https://api.firecrawl.dev",
  ttlSeconds = 300,
}: FirecrawlBrowserOptions): BrowserProvider {
  return {
    name: "firecrawl",
    async create(_taskId, signal): Promise<ProviderAnswer> {
      const answer = await callService(`${origin}/v2/browser`, {
        json: { ttl: ttlSeconds },
        token: key,
        timeoutMs: 30_000,
        signal,
      });
      if (answer.kind === "failed") return answer;
      const id = textField(answer.value, "id", "sessionId");
      const cdpUrl = textField(answer.value, "cdpUrl", "cdp_url");
      if (id === "" || cdpUrl === "") return { kind: "failed", reason: "the service named no browser" };
      return {
        kind: "open",
        session: {
          cdpUrl,
          facts: {},
          release: async () => {
            await callService(`${origin}/v2/browser/${id}`, {
              method: "DELETE",
              token: key,
              timeoutMs: 10_000,
              signal: never,
            });
          },
        },
      };
    },
  };
}

import { randomUUID } from "node:crypto";
import { never } from "#foundation/lifecycle/abort";
import type { Secret } from "#foundation/secrets/secret";
import { callService, textField } from "../../web/service-call.ts";
import type { BrowserProvider, ProviderAnswer } from "./provider.ts";

export interface BrowserUseOptions {
  readonly key: Secret;
  readonly origin?: string;
  /** Through the subscription: short sessions with a proxy, and never two for one request. */
  readonly isManaged?: boolean;
}

export function browserUse({
  key,
  origin = "https://api.browser-use.com/api/v2",
  isManaged = false,
}: BrowserUseOptions): BrowserProvider {
  const headers: Readonly<Record<string, string>> = isManaged
    ? { authorization: `Bearer ${key.reveal()}` }
    : { "x-browser-use-api-key": key.reveal() };
  return {
    name: "browser-use",
    async create(_taskId, signal): Promise<ProviderAnswer> {
      const answer = await callService(`${origin}/browsers`, {
        json: isManaged ? { timeout: 5, proxyCountryCode: "us" } : {},
        headers: isManaged ? { ...headers, "idempotency-key": randomUUID() } : headers,
        timeoutMs: 30_000,
        signal,
      });
      if (answer.kind === "failed") return answer;
      const id = textField(answer.value, "id");
      const cdpUrl = textField(answer.value, "cdpUrl", "connectUrl");
      if (id === "" || cdpUrl === "") return { kind: "failed", reason: "the service named no browser" };
      return {
        kind: "open",
        session: {
          cdpUrl,
          facts: { stealth_features: ["stealth", ...(isManaged ? ["proxies"] : [])] },
          release: async () => {
            const json = { action: "stop" };
            await callService(`${origin}/browsers/${id}`, {
              method: "PATCH",
              json,
              headers,
              timeoutMs: 10_000,
              signal: never,
            });
          },
        },
      };
    },
  };
}

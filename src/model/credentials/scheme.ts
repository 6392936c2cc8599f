import type { AuthScheme } from "../credential-handle.ts";
import { hostMatches, pathOf } from "../providers/hosts.ts";
import { codeAssistMarker } from "../providers/records/logins.ts";
import type { ProtocolName } from "../target.ts";

/** Subscription tokens of Anthropic look different from its API keys. */
export function isAnthropicLoginToken(value: string): boolean {
  return (value.startsWith("sk-ant-") && !value.startsWith("sk-ant-api")) || /^(?:eyJ|cc-)/.test(value);
}

export interface SchemeFacts {
  readonly protocol: ProtocolName;
  readonly baseUrl: string;
  /** The key itself; its shape decides only at Anthropic's own host. */
  readonly key: string;
  /** A header the provider's record asks for. */
  readonly keyHeader?: string;
}

const bearer: AuthScheme = { kind: "bearer" };
const apiKeyHeader: AuthScheme = { kind: "header", name: "x-api-key" };

/** How a key is put on a request to this endpoint; the first line that fits. */
export function schemeFor(facts: SchemeFacts): AuthScheme {
  if (facts.keyHeader !== undefined) return { kind: "header", name: facts.keyHeader };
  const { baseUrl } = facts;
  if (facts.protocol === "gemini_generate" && baseUrl !== codeAssistMarker)
    return { kind: "header", name: "x-goog-api-key" };
  if (facts.protocol !== "anthropic_messages") return bearer;
  if (hostMatches(baseUrl, "api.kimi.com") && pathOf(baseUrl).startsWith("/coding")) return apiKeyHeader;
  if (["api.minimax.io", "api.minimaxi.com"].some((host) => hostMatches(baseUrl, host))) return bearer;
  if (hostMatches(baseUrl, "amazonaws.com")) return bearer;
  if (!hostMatches(baseUrl, "api.anthropic.com")) return apiKeyHeader;
  return isAnthropicLoginToken(facts.key) ? bearer : apiKeyHeader;
}

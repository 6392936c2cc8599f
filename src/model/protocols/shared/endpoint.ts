import { createHash } from "node:crypto";
import type { ModelRequest } from "../../request.ts";
import type { Target } from "../../target.ts";

/** The host of a target, lower case, without a trailing dot; empty when the address is none. */
export function hostOf(target: Target): string {
  try {
    return new URL(target.baseUrl).hostname.toLowerCase().replace(/\.$/, "");
  } catch {
    return "";
  }
}

export function isHost(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

export function isBedrockHost(host: string): boolean {
  return /^bedrock-runtime[.-].*\.amazonaws\.com(?:\.cn)?$/.test(host);
}

export function isAnthropicHost(host: string): boolean {
  return isHost(host, "api.anthropic.com") || isBedrockHost(host);
}

/** What single endpoints want to be told about a request, besides its contents. */
interface EndpointNeeds {
  readonly domain: string;
  /** Headers that carry the key of the session, so that its requests meet the same cache. */
  readonly sessionHeaders?: readonly string[];
  /** Header that says whether the user or the agent asked. */
  readonly initiatorHeader?: string;
  /** Header that announces images. */
  readonly imageHeader?: string;
}

const endpoints: readonly EndpointNeeds[] = [
  { domain: "api.githubcopilot.com", initiatorHeader: "x-initiator", imageHeader: "Copilot-Vision-Request" },
  { domain: "chatgpt.com", sessionHeaders: ["session_id", "x-client-request-id"] },
  { domain: "api.x.ai", sessionHeaders: ["x-grok-conv-id"] },
];

export function endpointHeaders(request: ModelRequest, hasImages: boolean): Readonly<Record<string, string>> {
  const host = hostOf(request.target);
  const needs = endpoints.find(({ domain }) => isHost(host, domain));
  const headers: Record<string, string> = {};
  if (needs === undefined) return headers;
  const { cacheKey, initiator } = request.options;
  if (cacheKey !== undefined) for (const name of needs.sessionHeaders ?? []) headers[name] = headerText(cacheKey);
  if (needs.initiatorHeader !== undefined) headers[needs.initiatorHeader] = initiator ?? lastSpeaker(request);
  if (needs.imageHeader !== undefined && hasImages) headers[needs.imageHeader] = "true";
  return headers;
}

/** The Qwen portal groups requests by a session and names each prompt. Derived, so that the same request has the same bytes. */
export function portalMetadata(request: ModelRequest): Readonly<Record<string, unknown>> | undefined {
  if (!isHost(hostOf(request.target), "portal.qwen.ai")) return undefined;
  const sessionId = request.options.cacheKey ?? "";
  const promptId = createHash("sha256").update(`${sessionId}:${request.messages.length}`).digest("hex").slice(0, 16);
  return { sessionId, promptId };
}

function lastSpeaker(request: ModelRequest): "user" | "agent" {
  return request.messages.at(-1)?.role === "user" ? "user" : "agent";
}

/** HTTP headers carry visible ASCII only. */
function headerText(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, "-");
}

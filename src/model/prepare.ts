import type { Protocol, WireRequest } from "./protocols/protocol.ts";
import type { WireMemo } from "./protocols/wire-memo.ts";
import type { ModelRequest } from "./request.ts";
import type { ProtocolName, Target } from "./target.ts";

/** A request as it would be sent, without the credential. */
export interface PreparedRequest {
  readonly protocol: Protocol;
  readonly wire: WireRequest;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

const userAgent = "HermesAgent";

/** One line per wire language; each is loaded when the first request needs it. */
const protocols: Readonly<Record<ProtocolName, () => Promise<{ readonly protocol: Protocol }>>> = {
  chat_completions: () => import("./protocols/chat-completions/index.ts"),
  anthropic_messages: () => import("./protocols/anthropic-messages/index.ts"),
  codex_responses: () => import("./protocols/responses/index.ts"),
  gemini_generate: () => import("./protocols/gemini/index.ts"),
  bedrock_converse: () => import("./protocols/bedrock-converse/index.ts"),
};

export async function protocolFor(name: ProtocolName): Promise<Protocol> {
  return (await protocols[name]()).protocol;
}

/** The wire request, without sending it. A memo makes the next one of the same session cheaper. */
export async function prepareRequest(request: ModelRequest, memo?: WireMemo): Promise<PreparedRequest> {
  const protocol = await protocolFor(request.target.protocol);
  const wire = protocol.lower(request, memo);
  return { protocol, wire, url: endpointUrl(request.target, wire.path), headers: headersOf(request.target, wire) };
}

/** Google's Code Assist is configured by a marker, since its address is not for people to choose. */
const markers: Readonly<Record<string, string>> = { "cloudcode-pa://google": "https://cloudcode-pa.googleapis.com" };

/** Base address, path and query; parameters of the base address go on every request. */
function endpointUrl(target: Target, path: string): URL {
  const base = markers[target.baseUrl] ?? target.baseUrl;
  const url = new URL(`${base.replace(/\/+$/, "")}${path}`);
  for (const [name, value] of Object.entries(target.query)) url.searchParams.set(name, value);
  return url;
}

/** What a header may hold. Anything else comes from copying out of a page and could not be sent at all. */
export function sendable(headers: Readonly<Record<string, string>>): {
  readonly headers: Readonly<Record<string, string>>;
  /** Names of the headers that lost something. */
  readonly cleaned: readonly string[];
} {
  const foreign = /[^\t\x20-\x7e]/g;
  const cleaned = Object.keys(headers).filter((name) => (headers[name] ?? "").search(foreign) >= 0);
  if (cleaned.length === 0) return { headers, cleaned };
  const entries = Object.entries(headers).map(([name, value]) => [name, value.replace(foreign, "").trim()] as const);
  return { headers: Object.fromEntries(entries), cleaned };
}

function headersOf(target: Target, wire: WireRequest): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {
    "user-agent": userAgent,
    accept: wire.framing === "sse" ? "text/event-stream" : "application/json",
    // Packed streams come in larger and later pieces.
    "accept-encoding": wire.framing === "json" ? "gzip, deflate, br" : "identity",
  };
  return mergeHeaders(headers, wire.headers, target.headers);
}

/** Later ones win; lists of betas are joined, since each side knows only its own. Names in lower case. */
export function mergeHeaders(
  ...sources: readonly Readonly<Record<string, string>>[]
): Readonly<Record<string, string>> {
  const merged: Record<string, string> = {};
  for (const source of sources)
    for (const [input, value] of Object.entries(source)) {
      const name = input.toLowerCase();
      const before = merged[name];
      merged[name] = name === "anthropic-beta" && before !== undefined ? joinLists(before, value) : value;
    }
  return merged;
}

function joinLists(first: string, second: string): string {
  const names = `${first},${second}`.split(",").map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ""))].join(",");
}

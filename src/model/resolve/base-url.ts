import { hostMatches, isAzureUrl, parseUrl } from "../providers/hosts.ts";
import type { ProtocolName } from "../target.ts";

export interface SplitUrl {
  /** Without trailing slash, query and fragment. */
  readonly baseUrl: string;
  readonly query: Readonly<Record<string, string>>;
}

/** Query parameters of a base URL go with every request instead of into the middle of a path. */
export function splitBaseUrl(text: string): SplitUrl {
  const url = parseUrl(text.trim());
  if (url === undefined) return { baseUrl: text.trim().replace(/\/+$/, ""), query: {} };
  const query = Object.fromEntries(url.searchParams.entries());
  const bare = text.trim().replace(/[?#].*$/, "");
  return { baseUrl: bare.replace(/\/+$/, ""), query };
}

const azureApiVersion = "2025-04-15";

/** The Anthropic wire appends `/v1/messages` itself; these endpoints are written with `/v1` for the other wires. */
export function fitToProtocol(url: SplitUrl, protocol: ProtocolName): SplitUrl {
  if (protocol !== "anthropic_messages") return url;
  const isAzure = isAzureUrl(url.baseUrl);
  if (!isAzure && !hostMatches(url.baseUrl, "opencode.ai")) return url;
  const query = isAzure ? { "api-version": azureApiVersion, ...url.query } : url.query;
  return { baseUrl: url.baseUrl.replace(/\/v1$/, ""), query };
}

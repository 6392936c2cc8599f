import { isAzureUrl, parseUrl } from "../providers/hosts.ts";
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

/** The Anthropic wire appends `/v1/messages` itself; people write `/v1` as for the other wires. */
export function fitToProtocol(url: SplitUrl, protocol: ProtocolName): SplitUrl {
  if (protocol !== "anthropic_messages") return url;
  const query = isAzureUrl(url.baseUrl) ? { "api-version": azureApiVersion, ...url.query } : url.query;
  return { baseUrl: url.baseUrl.replace(/\/v1$/, ""), query };
}

export interface WireAddress {
  readonly url: string;
  readonly protocol: ProtocolName;
}

/** How else an address can be meant: with or without `/v1`, and in the other language unless one is configured. */
export function otherReadings({ url, protocol }: WireAddress, isConfigured: boolean): readonly WireAddress[] {
  const [, bare = url, rest = ""] = /^([^?#]*?)\/*([?#].*)?$/.exec(url.trim()) ?? [];
  const root = bare.replace(/\/v1$/, "");
  const openAi: ProtocolName = protocol === "anthropic_messages" ? "chat_completions" : protocol;
  const readings: readonly WireAddress[] = [
    { url: `${root}/v1${rest}`, protocol: openAi },
    { url: `${root}${rest}`, protocol: openAi },
    { url: `${root}${rest}`, protocol: "anthropic_messages" },
  ];
  const isWritten = (one: WireAddress): boolean =>
    one.protocol === protocol && (protocol === "anthropic_messages" || one.url === `${bare}${rest}`);
  return readings.filter((one) => !isWritten(one) && (!isConfigured || one.protocol === protocol));
}

import { isIP } from "node:net";
import { addressKind } from "./addresses.ts";

/** `terminal.network`: `ask` asks once for each new host, `open` lets everything public through, `off` nothing. */
export type NetworkMode = "ask" | "open" | "off";

export interface HostRules {
  readonly mode: NetworkMode;
  /** Hosts the person named: `host`, `*.host` for everything below it, each with an optional `:port`. */
  readonly allow: readonly string[];
  /** Wins over everything. */
  readonly deny: readonly string[];
}

/** Where a confined program wants to connect. */
export interface Destination {
  /** A name or an address, lower case, without brackets. */
  readonly host: string;
  readonly port: number;
}

export type HostVerdict =
  | { readonly kind: "allow" }
  | { readonly kind: "ask" }
  /** For the model and the person: why not. */
  | { readonly kind: "refuse"; readonly reason: string };

/** Where source code is fetched from; reached without a question over the ports of the web and of ssh. */
const codeHosts: readonly string[] = [
  "github.com",
  "*.github.com",
  "*.githubusercontent.com",
  "gitlab.com",
  "*.gitlab.com",
  "bitbucket.org",
  "*.bitbucket.org",
  "codeberg.org",
  "sr.ht",
  "*.sr.ht",
];

const usualPorts: ReadonlySet<number> = new Set([22, 80, 443]);

/** What the rules alone say about a destination; grants and registries are looked at by whoever asks. */
export function judgeHost({ host, port }: Destination, rules: HostRules): HostVerdict {
  if (rules.deny.some((pattern) => matchesHost(pattern, { host, port })))
    return { kind: "refuse", reason: `${host} is denied by terminal.network_deny` };
  if (rules.allow.some((pattern) => matchesHost(pattern, { host, port }))) return { kind: "allow" };
  const own = ownNetworkReason(host);
  if (own !== undefined) return { kind: "refuse", reason: own };
  if (rules.mode === "off") return { kind: "refuse", reason: "the network is off here (terminal.network: off)" };
  if (rules.mode === "open") return { kind: "allow" };
  const isCode = usualPorts.has(port) && codeHosts.some((pattern) => matchesHost(pattern, { host, port }));
  return isCode ? { kind: "allow" } : { kind: "ask" };
}

/** Why an address or a local name may not be reached although nobody forbade it; undefined for the rest. */
export function ownNetworkReason(host: string): string | undefined {
  const isLocalName = host === "localhost" || /\.(?:localhost|local|internal|home\.arpa)$/.test(host);
  const kind = isIP(host) === 0 ? (isLocalName ? "private" : "public") : addressKind(host);
  if (kind === "public") return undefined;
  return `${host} lies in a private network or on this machine, which commands may reach only when terminal.network_allow names it`;
}

/** `host`, `*.host`, either with `:port`; IPv6 addresses in brackets. */
export function matchesHost(pattern: string, { host, port }: Destination): boolean {
  const match = /^(\*\.)?(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(pattern.trim().toLowerCase());
  if (match === null) return false;
  const [, star, name = "", wantedPort] = match;
  if (wantedPort !== undefined && Number(wantedPort) !== port) return false;
  const plain = name.replace(/^\[|\]$/g, "");
  return star === undefined ? host === plain : host.endsWith(`.${plain}`);
}

/** `host:port` as a proxy is asked for it; undefined for what is none. */
export function readDestination(text: string): Destination | undefined {
  const match = /^(\[[0-9a-fA-F:.%]+\]|[^:/?#@[\]\s]+):(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const port = Number(match[2]);
  const host = (match[1] ?? "")
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  return port < 1 || port > 65_535 || host === "" ? undefined : { host, port };
}

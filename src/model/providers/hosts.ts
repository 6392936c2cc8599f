/**
 * Questions about addresses. A host is always taken from a parsed URL; nothing in the house looks for
 * a domain inside the text of one, because `https://evil.test/openrouter.ai` contains it too.
 */

export function parseUrl(url: string | URL): URL | undefined {
  if (url instanceof URL) return url;
  return URL.canParse(url) ? new URL(url) : undefined;
}

/** Lower case, without a trailing dot and without the brackets of IPv6; undefined for what is no URL. */
export function hostOf(url: string | URL): string | undefined {
  const parsed = parseUrl(url);
  return parsed === undefined ? undefined : tidyHost(parsed.hostname);
}

function tidyHost(hostname: string): string {
  const lower = hostname.toLowerCase();
  const plain = lower.endsWith(".") ? lower.slice(0, -1) : lower;
  return plain.startsWith("[") && plain.endsWith("]") ? plain.slice(1, -1) : plain;
}

/** True when the URL's host is the domain or lies below it. */
export function hostMatches(url: string | URL, domain: string): boolean {
  const host = hostOf(url);
  const wanted = tidyHost(domain);
  return host !== undefined && wanted !== "" && (host === wanted || host.endsWith(`.${wanted}`));
}

/** The path without trailing slashes. */
export function pathOf(url: string | URL): string {
  return parseUrl(url)?.pathname.replace(/\/+$/, "") ?? "";
}

const defaultPorts: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/** Host and port of one server, for a credential that belongs to exactly that server. */
export function scopeOf(url: string | URL): string | undefined {
  const parsed = parseUrl(url);
  if (parsed === undefined || defaultPorts[parsed.protocol] === undefined) return undefined;
  return `${parsed.hostname.toLowerCase().replace(/\.$/, "")}:${portOf(parsed)}`;
}

function portOf(url: URL): string {
  return url.port === "" ? (defaultPorts[url.protocol] ?? "") : url.port;
}

/**
 * Whether a credential with this entry may go to the URL. An entry with a port is one server; one
 * without is a domain with everything below it, reached over TLS only.
 */
export function isInScope(url: string | URL, entry: string): boolean {
  const parsed = parseUrl(url);
  if (parsed === undefined || defaultPorts[parsed.protocol] === undefined) return false;
  if (parsed.username !== "" || parsed.password !== "") return false;
  const port = /^(.*):(\d+)$/.exec(entry);
  if (port !== null && !/^[0-9a-f]*:[0-9a-f:]*$/i.test(port[1] ?? "")) {
    return scopeOf(parsed) === entry.toLowerCase();
  }
  return parsed.protocol === "https:" && hostMatches(parsed, entry);
}

const localSuffixes = [".docker.internal", ".containers.internal", ".lima.internal"];

/** A server on this machine or in a private network. */
export function isLocalUrl(url: string | URL): boolean {
  const host = hostOf(url);
  return host !== undefined && isLocalHost(host);
}

export function isLocalHost(host: string): boolean {
  if (host === "localhost" || host.endsWith(".localhost")) return true;
  if (localSuffixes.some((suffix) => host.endsWith(suffix))) return true;
  if (host.includes(":")) return isLocalIpv6(host);
  const octets = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(host)?.slice(1).map(Number);
  return octets !== undefined && isLocalIpv4(octets);
}

function isLocalIpv4(octets: readonly number[]): boolean {
  const [first = 0, second = 0] = octets;
  if (octets.every((octet) => octet === 0)) return true;
  if (first === 127 || first === 10) return true;
  if (first === 192 && second === 168) return true;
  if (first === 172 && second >= 16 && second <= 31) return true;
  if (first === 169 && second === 254) return true;
  return first === 100 && second >= 64 && second <= 127;
}

function isLocalIpv6(host: string): boolean {
  if (host === "::1" || host === "::") return true;
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(host);
  if (mapped !== null) {
    const [high = 0, low = 0] = mapped.slice(1).map((part) => Number.parseInt(part, 16));
    return isLocalIpv4([high >> 8, high & 255, low >> 8, low & 255]);
  }
  // fe80::/10 is link-local, fc00::/7 is the private range.
  return /^fe[89ab][0-9a-f]:/.test(host) || /^f[cd][0-9a-f]{2}:/.test(host);
}

const azureDomains = [
  "openai.azure.com",
  "services.ai.azure.com",
  "cognitiveservices.azure.com",
  "models.ai.azure.com",
];

export function isAzureUrl(url: string): boolean {
  return azureDomains.some((domain) => hostMatches(url, domain));
}

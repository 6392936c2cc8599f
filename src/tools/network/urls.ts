import { isIP } from "node:net";
import { addressKind } from "./addresses.ts";
import { blockedSite, type SiteRule } from "./sites.ts";

export interface UrlRules {
  /** Loopback and private networks may be visited; machine metadata never. */
  readonly allowPrivate: boolean;
  readonly sites: readonly SiteRule[];
  /** All addresses of a host; replaceable for tests. */
  resolve(host: string, signal: AbortSignal): Promise<readonly string[]>;
  /** A proxy looks the names of this address up; one that this machine cannot look up is no reason to refuse then. */
  isResolvedElsewhere?(url: URL): boolean;
}

export const systemResolve: UrlRules["resolve"] = async (host) => {
  const { lookup } = await import("node:dns/promises");
  return (await lookup(host, { all: true })).map((one) => one.address);
};

export type UrlVerdict =
  /** Safe to connect to, at exactly these addresses. */
  | { readonly kind: "allowed"; readonly url: URL; readonly addresses: readonly string[] }
  | { readonly kind: "refused"; readonly reason: string; readonly isPolicy: boolean };

const metadataHosts = new Set(["metadata.google.internal", "metadata.goog", "instance-data"]);

/** Beginnings of well-known keys; an address that carries one would hand it to whoever owns the host. */
const keyInUrl =
  /(?:^|[^A-Za-z0-9])(?:sk-[A-Za-z0-9_-]{10}|ghp_|github_pat_|gh[ousr]_[A-Za-z0-9]{10}|xox[abprs]-|AIza[\w-]{10}|AKIA[A-Z0-9]{12}|hf_[A-Za-z0-9]{10}|gsk_[A-Za-z0-9]{10}|npm_[A-Za-z0-9]{10}|pypi-[A-Za-z0-9]{10}|tvly-[A-Za-z0-9]{10}|eyJ[\w-]{15,}\.[\w-]{10})/;

/** Whether an address holds a credential, plainly or percent-encoded. */
export function hasSecretInUrl(url: string): boolean {
  if (keyInUrl.test(url)) return true;
  try {
    return keyInUrl.test(decodeURIComponent(url));
  } catch {
    return false;
  }
}

/** Judges one hop. Everything that cannot be judged is refused. */
export async function checkUrl(input: string, rules: UrlRules, signal: AbortSignal): Promise<UrlVerdict> {
  const url = parse(input);
  if (url === undefined) return refused("it is not a web address");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return refused(`only http and https addresses are opened, not ${url.protocol}`);
  if (url.username !== "" || url.password !== "") return refused("it carries a user name or password");
  if (hasSecretInUrl(input)) return refused("it contains what looks like a credential");
  const host = url.hostname
    .toLowerCase()
    .replace(/\.$/, "")
    .replace(/^\[|\]$/g, "");
  const site = blockedSite(host, rules.sites);
  if (site !== undefined) return { kind: "refused", reason: site.message, isPolicy: true };
  if (metadataHosts.has(host)) return refused("it is a machine's own metadata service");
  let addresses: readonly string[];
  try {
    addresses = isIP(host) === 0 ? await rules.resolve(host, signal) : [host];
  } catch (error) {
    if (signal.aborted) throw error;
    if (rules.isResolvedElsewhere?.(url) === true) return { kind: "allowed", url, addresses: [] };
    return refused(`the host ${host} was not found`);
  }
  if (addresses.length === 0) return refused(`the host ${host} was not found`);
  const kinds = addresses.map(addressKind);
  if (kinds.includes("metadata")) return refused("it is a machine's own metadata service");
  if (kinds.includes("private") && !rules.allowPrivate)
    return refused(`${host} is on a private network or this machine`);
  return { kind: "allowed", url, addresses };
}

/** The URL parser already turns `127.1`, `0x7f000001` and friends into dotted form. */
function parse(input: string): URL | undefined {
  try {
    return new URL(input.trim());
  } catch {
    return undefined;
  }
}

function refused(reason: string): UrlVerdict {
  return { kind: "refused", reason, isPolicy: false };
}

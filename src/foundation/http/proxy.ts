import { BlockList, isIP } from "node:net";
import { defined } from "../defined.ts";
import { UserError } from "../errors.ts";
import { isLoopback } from "./local-host.ts";

export interface ProxySettings {
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  /** Hosts reached directly, separated by commas; `*` means all. */
  readonly noProxy?: string;
}

const variables = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"] as const;

/** The proxy the environment asks for; lower-case names win, as with other programs. Undefined when it asks for none. */
export function proxyFromEnv(env: Readonly<Record<string, string | undefined>>): ProxySettings | undefined {
  const all = read(env, "ALL_PROXY");
  const httpProxy = read(env, "HTTP_PROXY") ?? all;
  const httpsProxy = read(env, "HTTPS_PROXY") ?? all;
  const noProxy = read(env, "NO_PROXY");
  if (httpProxy === undefined && httpsProxy === undefined) return undefined;
  return {
    ...defined({ httpProxy, httpsProxy, noProxy }),
  };
}

function read(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return [env[name.toLowerCase()], env[name]]
    .map((value) => value?.trim())
    .find((value) => value !== undefined && value !== "");
}

/** What is wrong with the proxy variables, by name and without their values, which may hold a password. */
export function findProxyProblems(
  env: NodeJS.ProcessEnv,
): readonly { readonly name: string; readonly message: string }[] {
  return variables.flatMap((name) => {
    const value = read(env, name);
    if (value === undefined || isProxyUrl(value)) return [];
    return [{ name, message: `${name} is not an address such as http://proxy.example:3128` }];
  });
}

const schemes: ReadonlySet<string> = new Set(["http:", "https:", "socks:", "socks4:", "socks5:", "socks5h:"]);

/** Whether a text is the address of a proxy that can be used. */
export function isProxyUrl(value: string): boolean {
  return URL.canParse(value) && schemes.has(new URL(value).protocol) && new URL(value).hostname !== "";
}

/** What is asked to open a connection and knows nothing of HTTP. It looks names up itself. */
export function isSocks({ protocol }: URL): boolean {
  return protocol.startsWith("socks");
}

/** The proxy to ask for this address, or undefined when it is reached directly. One that is no address is a {@link UserError}. */
export function proxyFor(target: URL, settings: ProxySettings | undefined): URL | undefined {
  const { hostname } = target;
  // A proxy sees another "localhost" than we do.
  if (settings === undefined || isLoopback(hostname) || hostname.endsWith(".localhost")) return undefined;
  const address = isSecure(target) ? settings.httpsProxy : settings.httpProxy;
  if (address === undefined || isDirect(target, settings.noProxy ?? "")) return undefined;
  if (isProxyUrl(address)) return new URL(address);
  throw new UserError("The configured proxy is not a usable address.", {
    hint: "Use an address such as http://proxy.example:3128; http, https and socks5 are understood.",
    code: "proxy_invalid",
  });
}

function isSecure({ protocol }: URL): boolean {
  return protocol === "https:" || protocol === "wss:";
}

/** `10.0.0.0/8`: the networks whose addresses are reached directly. */
function isInNetwork(host: string, entry: string): boolean {
  const [, network = "", bits = ""] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? [];
  const kind = isIP(network);
  if (kind === 0 || isIP(host) !== kind || Number(bits) > (kind === 4 ? 32 : 128)) return false;
  const type = kind === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(network, Number(bits), type);
  return list.check(host, type);
}

/**
 * `example.com` and `.example.com` mean the domain and everything below it; a port narrows an entry to that port, and
 * `10.0.0.0/8` is a network.
 */
function isDirect(target: URL, noProxy: string): boolean {
  const host = target.hostname.toLowerCase().replace(/^\[|\]$/g, "");
  const port = target.port || (isSecure(target) ? "443" : "80");
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      if (entry === "*" || isInNetwork(host, entry)) return true;
      const withPort = /^(.+):(\d+)$/.exec(entry);
      const isPort = withPort !== null && !/^[^[]*:[^[]*:/.test(entry);
      if (isPort && withPort[2] !== port) return false;
      const name = (isPort ? (withPort[1] ?? "") : entry).replace(/^\*?\./, "").replace(/^\[|\]$/g, "");
      return host === name || host.endsWith(`.${name}`);
    });
}

/** The proxy did not let a request through. */
export class ProxyError extends Error {
  override readonly name = "ProxyError";
  readonly code = "proxy_refused";

  constructor(status: number) {
    super(`the proxy answered ${status}`);
  }
}

/** The login of a proxy, as its address carries it. */
export function proxyAuthorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "" && password === "") return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}` };
}

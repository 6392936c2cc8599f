import { UserError } from "../errors.ts";

export interface ProxySettings {
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  /** Hosts reached directly, separated by commas; `*` means all. */
  readonly noProxy?: string;
}

const variables = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"] as const;

/** The proxy the environment asks for; lower-case names win, as with other programs. Undefined when it asks for none. */
export function proxyFromEnv(env: NodeJS.ProcessEnv): ProxySettings | undefined {
  const all = read(env, "ALL_PROXY");
  const httpProxy = read(env, "HTTP_PROXY") ?? all;
  const httpsProxy = read(env, "HTTPS_PROXY") ?? all;
  const noProxy = read(env, "NO_PROXY");
  if (httpProxy === undefined && httpsProxy === undefined) return undefined;
  return {
    ...(httpProxy === undefined ? {} : { httpProxy }),
    ...(httpsProxy === undefined ? {} : { httpsProxy }),
    ...(noProxy === undefined ? {} : { noProxy }),
  };
}

function read(env: NodeJS.ProcessEnv, name: string): string | undefined {
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

function isProxyUrl(value: string): boolean {
  try {
    return ["http:", "https:"].includes(new URL(value).protocol);
  } catch {
    return false;
  }
}

/** The proxy to ask for this address, or undefined when it is reached directly. */
export function proxyFor(target: URL, settings: ProxySettings | undefined): string | undefined {
  if (settings === undefined || isLoopback(target.hostname)) return undefined;
  return target.protocol === "https:" ? settings.httpsProxy : settings.httpProxy;
}

/** The proxy in the form undici takes; one that is no address is a {@link UserError}. */
export function checkProxy(address: string): { readonly httpProxy: string; readonly httpsProxy: string } {
  if (isProxyUrl(address)) return { httpProxy: address, httpsProxy: address };
  throw new UserError("The configured proxy is not a usable address.", {
    hint: "Set HTTPS_PROXY and HTTP_PROXY to an address such as http://proxy.example:3128.",
    code: "proxy_invalid",
  });
}

/** A proxy sees another "localhost" than we do. */
function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" || /^127\./.test(hostname);
}

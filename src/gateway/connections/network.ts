import { type Config, isPlatformId, platformSettings } from "#config";
import { HttpClient } from "#foundation/http/client";
import { type Fetch, fetchOver } from "#foundation/http/fetch";
import { isProxyUrl, type ProxySettings, proxyFromEnv } from "#foundation/http/proxy";
import { ConnectionError, type Platform } from "../platform/platform.ts";

/** How one platform is reached: through a proxy of its own, else as the environment says. */
export interface PlatformNetwork extends AsyncDisposable {
  readonly fetch: Fetch;
  readonly proxy: ProxySettings | undefined;
}

export interface NetworkDeps {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function openNetwork(
  { id, label }: Pick<Platform, "id" | "label">,
  { config, env }: NetworkDeps,
): PlatformNetwork {
  const own = isPlatformId(id) ? platformSettings(config, id).block.proxy : "";
  if (own !== "" && !isProxyUrl(own))
    throw new ConnectionError(
      `${id}_proxy`,
      `The proxy of ${label} is not an address such as http://proxy.example:3128. Supported are http, https and socks5.`,
      { isRetryable: false },
    );
  const proxy = proxyFromEnv(own === "" ? env : { ...env, https_proxy: own, http_proxy: own });
  const client = new HttpClient({ proxy: proxy ?? false });
  return { fetch: fetchOver(client), proxy, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}

import type { Dispatcher } from "undici";
import { checkProxy, type ProxySettings, proxyFor, proxyFromEnv } from "./proxy.ts";

/** How one request leaves the house. Disposing closes what was opened for it. */
export interface HttpConnection extends AsyncDisposable {
  send(url: URL, init: RequestInit): Promise<Response>;
}

export interface ConnectionOptions {
  readonly timeoutMs: number;
  readonly proxy?: ProxySettings | false;
  readonly dispatcher?: object;
  /** Told when a connection could not be made; the request may not notice by itself. */
  onBroken(error: Error): void;
}

/** Node's own fetch gives up on a silent server after this long; a slow local model may need more. */
const builtInPatienceMs = 300_000;

/**
 * Node's fetch where it will do. With a proxy, a pool or a long patience it is undici's: dispatchers of
 * one version do not fit the fetch of another, and the one inside Node is another.
 */
export async function openConnection(target: URL, options: ConnectionOptions): Promise<HttpConnection> {
  if (options.dispatcher !== undefined) return overUndici(options.dispatcher as Dispatcher, () => Promise.resolve());
  const settings = options.proxy === false ? undefined : (options.proxy ?? proxyFromEnv(process.env));
  const proxy = proxyFor(target, settings);
  if (proxy === undefined && options.timeoutMs < builtInPatienceMs) {
    return { send: (url, init) => fetch(url, init), [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const undici = await import("undici");
  const settled = {
    // The deadlines are ours.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Undici tries again for ever when a proxy hangs up during the handshake; one broken connection ends the exchange.
    factory: (origin: string | URL, poolOptions: object) =>
      new undici.Pool(origin, poolOptions).on("connectionError", (_origin, _targets, error) => options.onBroken(error)),
  };
  const dispatcher =
    proxy === undefined
      ? new undici.Agent(settled)
      : new undici.EnvHttpProxyAgent({
          ...settled,
          ...checkProxy(proxy),
          noProxy: settings?.noProxy ?? "",
          // Plain http is asked of the proxy itself; many refuse to tunnel to other ports than 443.
          proxyTunnel: false,
        });
  return overUndici(dispatcher, () => dispatcher.destroy());
}

function overUndici(dispatcher: Dispatcher, close: () => Promise<void>): HttpConnection {
  return {
    async send(url, init) {
      const { fetch: send } = await import("undici");
      const request = { ...(await encodeForm(init)), dispatcher };
      // The two fetches have the same shape under two names of the same types.
      return (await send(url, request as unknown as Parameters<typeof send>[1])) as unknown as Response;
    },
    [Symbol.asyncDispose]: close,
  };
}

/** A form of Node's class is not a form to undici, so it is turned into the bytes it stands for. */
async function encodeForm(init: RequestInit): Promise<RequestInit> {
  if (!(init.body instanceof FormData)) return init;
  const encoded = new Response(init.body);
  const headers = new Headers(init.headers);
  headers.set("content-type", encoded.headers.get("content-type") ?? "multipart/form-data");
  return { ...init, headers, body: new Uint8Array(await encoded.arrayBuffer()) };
}

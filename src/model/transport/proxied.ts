import { checkProxy, type ProxySettings } from "#foundation/http/proxy";
import type { Outlet } from "./connections.ts";
import { type Answer, bodyOf, type Post, readBody } from "./http.ts";

/** Connections through a proxy, over undici, which is loaded only here. */
export async function openProxied(settings: ProxySettings): Promise<Outlet> {
  const undici = await import("undici");
  const address = settings.httpsProxy ?? settings.httpProxy ?? "";
  const open = () =>
    new undici.EnvHttpProxyAgent({
      ...checkProxy(address),
      ...(settings.httpProxy === undefined ? {} : { httpProxy: settings.httpProxy }),
      ...(settings.httpsProxy === undefined ? {} : { httpsProxy: settings.httpsProxy }),
      noProxy: settings.noProxy ?? "",
      // The deadlines are ours.
      headersTimeout: 0,
      bodyTimeout: 0,
      proxyTunnel: false,
    });
  let current = open();
  const retired = new Set<typeof current>();
  return {
    async post(post: Post): Promise<Answer> {
      const { watchdog, limits } = post;
      watchdog.arm("first-byte", limits.firstByteMs ?? limits.connectMs);
      const response = await undici.request(post.url, {
        method: "POST",
        headers: { ...post.headers },
        body: post.body,
        dispatcher: current,
        signal: AbortSignal.any([post.signal, watchdog.signal]),
      });
      watchdog.disarm("first-byte");
      watchdog.arm("idle", limits.idleMs);
      const headers = Object.fromEntries(
        Object.entries(response.headers).map(([name, value]) => [
          name,
          Array.isArray(value) ? value.join(", ") : (value ?? ""),
        ]),
      );
      return {
        status: response.statusCode,
        headers,
        ...bodyOf(readBody(response.body, headers["content-encoding"], watchdog), () => {
          response.body.on("error", () => undefined).destroy();
        }),
      };
    },
    fresh(): void {
      const old = current;
      current = open();
      retired.add(old);
      // Waits for running requests, then closes.
      void old.close().finally(() => retired.delete(old));
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all([current, ...retired].map((agent) => agent.destroy()));
    },
  };
}

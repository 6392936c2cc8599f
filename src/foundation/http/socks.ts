import type { Socket } from "node:net";
import { onAbort } from "../lifecycle/abort.ts";

const answerMs = 30_000;
const usualPort = 1080;

/** A connection through a SOCKS proxy, which looks the name up. */
export async function openSocks(
  proxy: URL,
  destination: { readonly host: string; readonly port: number },
  signals: readonly AbortSignal[],
): Promise<Socket> {
  const { SocksClient } = await import("socks");
  const login =
    proxy.username === ""
      ? {}
      : { userId: decodeURIComponent(proxy.username), password: decodeURIComponent(proxy.password) };
  const opening = SocksClient.createConnection({
    command: "connect",
    destination,
    timeout: answerMs,
    proxy: {
      host: proxy.hostname.replace(/^\[|\]$/g, ""),
      port: Number(proxy.port) || usualPort,
      type: proxy.protocol === "socks4:" ? 4 : 5,
      ...login,
    },
  });
  const links: Disposable[] = [];
  const cancelled = new Promise<never>((_resolve, reject) => {
    for (const signal of signals)
      links.push(onAbort(signal, (reason) => reject(reason instanceof Error ? reason : new Error("cancelled"))));
  });
  try {
    return (await Promise.race([opening, cancelled])).socket;
  } catch (error) {
    // What comes after all is of no use.
    opening.then(({ socket }) => socket.destroy()).catch(() => undefined);
    throw error;
  } finally {
    for (const link of links) link[Symbol.dispose]();
  }
}

import {
  type AgentOptions,
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type RequestOptions,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { type ConnectionOptions, connect } from "node:tls";
import { onAbort } from "../lifecycle/abort.ts";
import { isSocks, ProxyError, proxyAuthorization } from "./proxy.ts";

/** What a request through a tunnel tells the agent that makes its connection. */
export interface TunnelOptions {
  readonly tunnel?: {
    readonly proxy: URL;
    /** Where the tunnel leads, instead of what the proxy finds under the name. */
    readonly address: string | undefined;
    readonly signals: readonly AbortSignal[];
  };
}

type Connecting = ConnectionOptions & TunnelOptions;
type Connected = (error: Error | null, socket?: Socket) => void;

/** Makes connections through a proxy, which only carries them; they are secured here where the protocol is `https:`. */
export function tunnelAgent(options: AgentOptions & TunnelOptions, protocol: string): HttpAgent {
  const isSecure = protocol === "https:" || protocol === "wss:";
  const createConnection = (wanted: Connecting, done: Connected): void => {
    openTunnel({ ...options, ...wanted }, isSecure).then(
      (socket) => {
        if (!isSecure) return done(null, socket);
        const secured = connect({ ...wanted, socket, servername: wanted.servername ?? wanted.host ?? "" });
        secured.once("close", () => socket.destroy());
        done(null, secured);
      },
      (error: Error) => done(error),
    );
  };
  return Object.assign(isSecure ? new HttpsAgent(options) : new HttpAgent(options), { createConnection });
}

async function openTunnel(wanted: Connecting, isSecure: boolean): Promise<Socket> {
  const { tunnel, host = "", port = isSecure ? 443 : 80 } = wanted;
  if (tunnel === undefined) throw new Error("a tunnel needs a proxy");
  const end = { host: tunnel.address ?? host, port: Number(port) };
  if (!isSocks(tunnel.proxy)) return await connectTunnel(wanted, tunnel, end);
  const { openSocks } = await import("./socks.ts");
  return await openSocks(tunnel.proxy, end, tunnel.signals);
}

type Tunnel = NonNullable<TunnelOptions["tunnel"]>;

async function connectTunnel(
  { ca, rejectUnauthorized, secureContext }: Connecting,
  { proxy, signals }: Tunnel,
  end: { readonly host: string; readonly port: number },
): Promise<Socket> {
  const path = `${end.host.includes(":") ? `[${end.host}]` : end.host}:${end.port}`;
  const send = proxy.protocol === "https:" ? httpsRequest : httpRequest;
  const request = send({
    method: "CONNECT",
    host: proxy.hostname.replace(/^\[|\]$/g, ""),
    port: proxy.port || (proxy.protocol === "https:" ? 443 : 80),
    path,
    headers: { host: path, ...proxyAuthorization(proxy) },
    agent: false,
    ca,
    rejectUnauthorized,
    secureContext,
  } as RequestOptions);
  const links = signals.map((signal) =>
    onAbort(signal, (reason) => request.destroy(reason instanceof Error ? reason : new Error("cancelled"))),
  );
  try {
    return await connected(request);
  } finally {
    for (const link of links) link[Symbol.dispose]();
  }
}

function connected(request: ClientRequest): Promise<Socket> {
  return new Promise((resolve, reject) => {
    request.once("error", reject);
    // Any other answer than a tunnel has a body that nobody wants.
    request.once("response", (response) => {
      response.destroy();
      reject(new ProxyError(response.statusCode ?? 0));
    });
    request.once("connect", (response, socket, head) => {
      const status = response.statusCode ?? 0;
      if (status < 200 || status > 299) {
        socket.destroy();
        reject(new ProxyError(status));
        return;
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.end();
  });
}

import { lookup } from "node:dns/promises";
import http from "node:http";
import net from "node:net";
import type { Duplex } from "node:stream";
import { describe } from "#foundation/errors";
import { type ProxySettings, proxyAuthorization, proxyFor } from "#foundation/http/proxy";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import { addressKind } from "./addresses.ts";
import { type Destination, readDestination } from "./host-rules.ts";

export interface ProxyOptions {
  /** Decides about one destination; may ask a person. A reason for people and the model when it is no. */
  decide(to: Destination, signal: AbortSignal): Promise<ProxyDecision>;
  /** The proxy that this machine itself needs to reach the internet. */
  readonly upstream?: ProxySettings | undefined;
}

export type ProxyDecision =
  /** `mayBePrivate`: the person named this host, wherever its name leads. */
  { readonly kind: "allow"; readonly mayBePrivate: boolean } | { readonly kind: "deny"; readonly reason: string };

const connectTimeoutMs = 30_000;
const maxConnections = 512;

/**
 * The one way out of a confined network: an HTTP proxy (CONNECT for TLS and ssh, plain requests for http://).
 *
 * 1. Nothing is connected before `decide` said so, and then exactly to what was decided: the name is resolved here, once, and a
 *    name that leads into a private network is refused.
 * 2. It looks at no content and changes none: what is encrypted stays so.
 */
export class EgressProxy implements AsyncDisposable {
  readonly #options: ProxyOptions;
  readonly #ending = new AbortController();
  readonly #server: http.Server;
  readonly #sockets = new Set<Duplex>();

  constructor(options: ProxyOptions) {
    this.#options = options;
    this.#server = http.createServer((request, response) => void this.#forward(request, response));
    this.#server.maxConnections = maxConnections;
    this.#server.on("connect", (request, socket, head) => void this.#tunnel(request, socket, head));
    this.#server.on("connection", (socket: net.Socket) => this.#keep(socket));
    this.#server.on("clientError", (_error, socket) => socket.destroy());
  }

  /** A path of a socket, or a port on loopback (0 chooses one). The port, where there is one. */
  async listen(at: { readonly socket: string } | { readonly port: number }): Promise<number | undefined> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      const ready = (): void => {
        this.#server.off("error", reject);
        resolve();
      };
      if ("socket" in at) this.#server.listen(at.socket, ready);
      else this.#server.listen(at.port, "127.0.0.1", ready);
    });
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort(new Error("the network of this session was closed"));
    for (const socket of this.#sockets) socket.destroy();
    if (!this.#server.listening) return;
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    // A peer that goes away in mid-sentence is its own business; without a listener it would end the program.
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#sockets.delete(socket));
  }

  async #tunnel(request: http.IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const to = readDestination(request.url ?? "");
    if (to === undefined) return refuse(client, 400, "that is no host and port");
    const gone = new AbortController();
    client.once("close", () => gone.abort());
    const signal = linkSignals(this.#ending.signal, gone.signal);
    try {
      const opened = await this.#open(to, signal);
      if (opened.kind === "refused") return refuse(client, opened.status, opened.reason);
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      if (head.length > 0) opened.socket.write(head);
      opened.socket.pipe(client).pipe(opened.socket);
      client.once("close", () => opened.socket.destroy());
      opened.socket.once("close", () => client.destroy());
    } catch (error) {
      if (!signal.aborted) refuse(client, 502, describe(error));
      else client.destroy();
    }
  }

  async #forward(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const url = URL.canParse(request.url ?? "") ? new URL(request.url ?? "") : undefined;
    if (url === undefined || url.protocol !== "http:")
      return answer(response, 400, "only http:// addresses and CONNECT");
    const to = readDestination(`${url.hostname}:${url.port === "" ? "80" : url.port}`);
    if (to === undefined) return answer(response, 400, "that is no host and port");
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const signal = linkSignals(this.#ending.signal, gone.signal);
    try {
      const opened = await this.#open(to, signal);
      if (opened.kind === "refused") return answer(response, opened.status, opened.reason);
      const upstream = http.request({
        createConnection: () => opened.socket,
        method: request.method ?? "GET",
        path: `${url.pathname}${url.search}`,
        headers: { ...endToEnd(request.headers), host: url.host, connection: "close" },
        signal,
      });
      upstream.on("response", (answered) => {
        response.writeHead(answered.statusCode ?? 502, endToEnd(answered.headers));
        answered.pipe(response);
      });
      upstream.on("error", (error) =>
        response.headersSent ? response.destroy() : answer(response, 502, error.message),
      );
      request.pipe(upstream);
    } catch (error) {
      if (!signal.aborted) answer(response, 502, describe(error));
    }
  }

  async #open(to: Destination, signal: AbortSignal): Promise<Opened> {
    const decision = await this.#options.decide(to, signal);
    if (decision.kind === "deny") return { kind: "refused", status: 403, reason: decision.reason };
    const through = proxyFor(new URL(`https://${hostPart(to)}/`), this.#options.upstream);
    // Behind a proxy of this machine only that proxy can resolve names; it is the one that is trusted with them.
    if (through !== undefined) return this.#connectThrough(through, to, signal);
    const { address } = await lookup(to.host, { verbatim: true });
    signal.throwIfAborted();
    if (!decision.mayBePrivate && addressKind(address) !== "public")
      return { kind: "refused", status: 403, reason: `the name ${to.host} leads into a private network` };
    return { kind: "open", socket: await this.#connect({ host: address, port: to.port }, signal) };
  }

  async #connectThrough(proxy: URL, to: Destination, signal: AbortSignal): Promise<Opened> {
    const target = `${hostPart(to)}:${to.port}`;
    const request = http.request({
      host: proxy.hostname,
      port: proxy.port === "" ? 3128 : Number(proxy.port),
      method: "CONNECT",
      path: target,
      headers: { host: target, ...proxyAuthorization(proxy) },
      signal,
    });
    return new Promise((resolve, reject) => {
      request.once("connect", (response, socket) => {
        this.#keep(socket);
        if (response.statusCode === 200) resolve({ kind: "open", socket });
        else
          resolve({
            kind: "refused",
            status: 502,
            reason: `the proxy of this machine answered ${response.statusCode}`,
          });
      });
      request.once("error", reject);
      request.end();
    });
  }

  async #connect(to: Destination, signal: AbortSignal): Promise<net.Socket> {
    using limit = deadline(connectTimeoutMs);
    const stop = linkSignals(signal, limit.signal);
    return await new Promise((resolve, reject) => {
      const socket = net.connect({ host: to.host, port: to.port });
      const giveUp = (): void => void socket.destroy(new Error(`no connection to ${to.host}:${to.port}`));
      stop.addEventListener("abort", giveUp, { once: true });
      socket.once("connect", () => stop.removeEventListener("abort", giveUp));
      this.#keep(socket);
      socket.once("connect", () => resolve(socket));
      socket.once("error", reject);
    });
  }
}

type Opened =
  | { readonly kind: "open"; readonly socket: net.Socket }
  | { readonly kind: "refused"; readonly status: number; readonly reason: string };

function hostPart({ host }: Destination): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Headers that belong to one hop stay with it. */
function endToEnd(headers: http.IncomingHttpHeaders): http.OutgoingHttpHeaders {
  const hop = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hop.test(name)));
}

function answer(response: http.ServerResponse, status: number, reason: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "x-hermes-network": "denied" });
  response.end(`Hermes: ${reason}.\n`);
}

function refuse(client: Duplex, status: number, reason: string): void {
  const body = `Hermes: ${reason}.\n`;
  client.end(
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? "Refused"}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

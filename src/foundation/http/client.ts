import type { Agent, ClientRequest, RequestOptions } from "node:http";
import type { LookupFunction } from "node:net";
import type { SecureContext } from "node:tls";
import { onAbort } from "../lifecycle/abort.ts";
import { type HttpAnswer, toAnswer } from "./answer.ts";
import { isSocks, ProxyError, type ProxySettings, proxyAuthorization, proxyFor, proxyFromEnv } from "./proxy.ts";
import { trustFromEnv } from "./trust.ts";
import type { TunnelOptions } from "./tunnel.ts";

export interface HttpClientOptions {
  /** Which proxy to use; the environment decides when left out, `false` means none. */
  readonly proxy?: ProxySettings | false | undefined;
  /** Connections are kept for the next request; otherwise each request has its own. */
  readonly keepsConnections?: boolean | undefined;
  readonly tls?: TlsOptions | undefined;
  /** Where proxies and certificates are named: the process's own environment when left out. */
  readonly env?: Environment | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface TlsOptions {
  /** Certificates to trust, all of them. */
  readonly ca?: readonly string[] | undefined;
  /** False: whatever certificate a server shows is taken. */
  readonly rejectUnauthorized?: boolean | undefined;
}

/** One request on its way: everything but the connection it takes. */
export interface HttpSend {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** Any of them ends the request, and the reading of its answer. */
  readonly signals: readonly AbortSignal[];
  /** The only addresses the connection may go to, whatever the name of the host says. */
  readonly addresses?: readonly string[] | undefined;
  /** The connection stands, and the request goes out. */
  onConnected?(): void;
}

/** A kept connection turned out to be closed: the request reached nobody and may be sent again. */
class DeadSocketError extends Error {
  override readonly name = "DeadSocketError";

  constructor(cause: Error) {
    super("the kept connection was closed", { cause });
  }
}

/**
 * Every HTTP request of the house. It goes out over Node's own client, which is the cheapest to load (13 ms to a first
 * request; `fetch` 40, undici 110 and more).
 *
 * 1. Redirects are not followed: credentials would go along.
 * 2. A proxy carries https through a tunnel and cannot read it; plain http is asked of the proxy itself, but for SOCKS.
 * 3. A request with pinned addresses goes to one of them and has a connection of its own.
 */
export class HttpClient implements AsyncDisposable {
  readonly #options: HttpClientOptions;
  readonly #proxy: ProxySettings | undefined;
  readonly #agents = new Map<string, Agent>();
  readonly #retired = new Set<Agent>();
  #trust: Promise<SecureContext | undefined> | undefined;
  #isClosed = false;

  constructor(options: HttpClientOptions = {}) {
    this.#options = options;
    this.#proxy = options.proxy === false ? undefined : (options.proxy ?? proxyFromEnv(options.env ?? process.env));
  }

  /** Rejects with what broke the connection; the caller knows whether it was itself. */
  async send(request: HttpSend): Promise<HttpAnswer> {
    try {
      return await this.#sendOnce(request);
    } catch (error) {
      if (!(error instanceof DeadSocketError) || request.signals.some((signal) => signal.aborted)) throw error;
      this.fresh();
      return this.#sendOnce(request);
    }
  }

  /** Idle connections are dropped and the next request opens its own; running ones go on. */
  fresh(): void {
    for (const agent of this.#agents.values()) retire(agent, this.#retired);
    this.#agents.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const agent of [...this.#agents.values(), ...this.#retired]) agent.destroy();
    this.#agents.clear();
    this.#retired.clear();
  }

  async #sendOnce(request: HttpSend): Promise<HttpAnswer> {
    if (this.#isClosed) throw new Error("the connections are closed");
    const proxy = proxyFor(request.url, this.#proxy);
    const isTunnelled = proxy !== undefined && (request.url.protocol === "https:" || isSocks(proxy));
    const first = proxy === undefined || isTunnelled ? request.url : proxy;
    const library = await libraryFor(first.protocol);
    const agent = await this.#agentFor(first.protocol, isTunnelled, request.addresses !== undefined);
    const options: RequestOptions & TunnelOptions = {
      method: request.method,
      agent,
      ...(await this.#tls(request.url, first)),
      headers: headersOf(request, isTunnelled ? undefined : proxy),
      ...(proxy === undefined ? { lookup: pinned(request.addresses) } : {}),
      ...(proxy !== undefined && !isTunnelled ? throughProxy(request, proxy) : {}),
      ...(isTunnelled ? { tunnel: { proxy, address: request.addresses?.[0], signals: request.signals } } : {}),
    };
    const answer = await exchange(request, library.request(request.url, options as RequestOptions));
    if (proxy === undefined || isTunnelled || answer.status !== 407) return answer;
    answer.destroy();
    throw new ProxyError(answer.status);
  }

  /** What was asked for, else what the environment trusts. */
  async #tls(url: URL, first: URL): Promise<TlsOptions & { readonly secureContext?: SecureContext }> {
    const { tls, env = process.env } = this.#options;
    if (tls?.ca !== undefined || tls?.rejectUnauthorized === false) return tls;
    if (url.protocol !== "https:" && first.protocol !== "https:") return {};
    this.#trust ??= trustFromEnv(env);
    const secureContext = await this.#trust;
    return secureContext === undefined ? {} : { secureContext };
  }

  /** Undefined: Node's own, for a single request. */
  async #agentFor(protocol: string, isTunnelled: boolean, isPinned: boolean): Promise<Agent | false> {
    if (isPinned && !isTunnelled) return false;
    const key = isTunnelled ? `tunnel ${protocol}` : protocol;
    const known = isPinned ? undefined : this.#agents.get(key);
    if (known !== undefined) return known;
    const keepAlive = this.#options.keepsConnections === true && !isPinned;
    const options = { keepAlive, timeout: 0, scheduling: "lifo" as const, keepAliveMsecs: 60_000 };
    const made = isTunnelled
      ? (await import("./tunnel.ts")).tunnelAgent(options, protocol)
      : new (await libraryFor(protocol)).Agent(options);
    // Another request may have been quicker.
    const agent = isPinned ? made : (this.#agents.get(key) ?? made);
    if (!isPinned) this.#agents.set(key, agent);
    return agent;
  }
}

function libraryFor(protocol: string): Promise<typeof import("node:https") | typeof import("node:http")> {
  return protocol === "https:" ? import("node:https") : import("node:http");
}

function headersOf({ headers, body, url }: HttpSend, proxy: URL | undefined): Record<string, string> {
  return {
    ...headers,
    ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
    ...(proxy === undefined ? {} : { host: url.host, ...proxyAuthorization(proxy) }),
  };
}

/** The whole address stands in the request line; a pinned one instead of the name, so that the proxy looks nothing up. */
function throughProxy({ url, addresses }: HttpSend, proxy: URL): RequestOptions {
  const target = new URL(url);
  const [address] = addresses ?? [];
  if (address !== undefined) target.hostname = address.includes(":") ? `[${address}]` : address;
  target.hash = "";
  return {
    protocol: proxy.protocol,
    hostname: proxy.hostname.replace(/^\[|\]$/g, ""),
    port: proxy.port || (proxy.protocol === "https:" ? 443 : 80),
    path: target.href,
  };
}

/** Answers every question about a name with the addresses that were pinned. */
function pinned(addresses: readonly string[] | undefined): LookupFunction | undefined {
  if (addresses === undefined) return undefined;
  const entries = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  return (_host, options, callback) => {
    const [first] = entries;
    if (options.all === true) callback(null, entries);
    else callback(null, first?.address ?? "", first?.family ?? 4);
  };
}

function exchange(sent: HttpSend, request: ClientRequest): Promise<HttpAnswer> {
  return new Promise<HttpAnswer>((resolve, reject) => {
    const links = sent.signals.map((signal) =>
      onAbort(signal, (reason) => request.destroy(reason instanceof Error ? reason : new Error("cancelled"))),
    );
    const unlink = (): void => {
      for (const link of links) link[Symbol.dispose]();
    };
    request.once("socket", (socket) => {
      const connected = (): void => sent.onConnected?.();
      if (!socket.connecting && request.reusedSocket) connected();
      else socket.once(sent.url.protocol === "https:" ? "secureConnect" : "connect", connected);
    });
    request.once("error", (error) => {
      unlink();
      reject(isUnused(request, error) ? new DeadSocketError(error) : error);
    });
    request.once("response", (response) => {
      response.once("close", unlink);
      resolve(toAnswer(response));
    });
    request.end(sent.body);
  });
}

/** A reset before any byte of the answer, on a connection that had served before. */
function isUnused(request: ClientRequest, error: Error): boolean {
  const code = "code" in error ? error.code : undefined;
  return request.reusedSocket && (code === "ECONNRESET" || code === "EPIPE");
}

/** Running requests keep their connection; nothing is kept after them. */
function retire(agent: Agent, retired: Set<Agent>): void {
  retired.add(agent);
  (agent as { keepAlive?: boolean }).keepAlive = false;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

import type { Agent } from "node:http";
import { type ProxySettings, proxyFor, proxyFromEnv } from "#foundation/http/proxy";
import { WireMemo } from "../protocols/shared/wire-memo.ts";
import { type Answer, DeadSocketError, type Post, type Sender, sendPost } from "./http.ts";
import { Pacing } from "./pacing.ts";

/** Requests over some way out of this machine. */
export interface Outlet extends AsyncDisposable {
  /** Rejects with what broke the connection; the caller knows whether it was itself. */
  post(post: Post): Promise<Answer>;
  /** Idle connections are dropped and the next attempt opens its own; running ones go on. */
  fresh(): void;
}

/** The open connections to model endpoints; shared by all attempts, owned by whoever opened it. */
export interface Connections extends Outlet {
  /** The distance between requests that endpoints ask for, kept by everybody who shares the connections. */
  readonly pacing: Pacing;
  /** What was written before; sessions that share the connections share it. */
  readonly memo: WireMemo;
}

export interface ConnectionOptions {
  /** Which proxy to use; the environment decides when left out, `false` means none. */
  readonly proxy?: ProxySettings | false;
}

export function openConnections(options: ConnectionOptions = {}): Connections {
  return new ConnectionPool(options.proxy === false ? undefined : (options.proxy ?? proxyFromEnv(process.env)));
}

const idleMs = 60_000;

class ConnectionPool implements Connections {
  readonly pacing = new Pacing();
  readonly memo = new WireMemo();
  readonly #proxy: ProxySettings | undefined;
  readonly #senders = new Map<string, Sender>();
  readonly #retired = new Set<Agent>();
  #proxied: Promise<Outlet> | undefined;
  #isClosed = false;

  constructor(proxy: ProxySettings | undefined) {
    this.#proxy = proxy;
  }

  async post(post: Post): Promise<Answer> {
    if (this.#isClosed) throw new Error("the connections are closed");
    if (proxyFor(post.url, this.#proxy) !== undefined) return (await this.#throughProxy()).post(post);
    const sender = await this.#senderFor(post.url.protocol);
    try {
      return await sendPost(post, sender);
    } catch (error) {
      // A kept connection that the server had closed meanwhile: the request never reached anyone.
      if (!(error instanceof DeadSocketError) || post.signal.aborted || post.watchdog.expired !== undefined)
        throw error;
      this.fresh();
      return sendPost(post, await this.#senderFor(post.url.protocol));
    }
  }

  fresh(): void {
    for (const { agent } of this.#senders.values()) retire(agent, this.#retired);
    this.#senders.clear();
    void this.#proxied?.then((connections) => connections.fresh());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const { agent } of this.#senders.values()) agent.destroy();
    for (const agent of this.#retired) agent.destroy();
    this.#senders.clear();
    this.#retired.clear();
    const proxied = await this.#proxied;
    await proxied?.[Symbol.asyncDispose]();
  }

  #throughProxy(): Promise<Outlet> {
    this.#proxied ??= import("./proxied.ts").then(({ openProxied }) => openProxied(this.#proxy ?? {}));
    return this.#proxied;
  }

  async #senderFor(protocol: string): Promise<Sender> {
    const known = this.#senders.get(protocol);
    if (known !== undefined) return known;
    const library = protocol === "https:" ? await import("node:https") : await import("node:http");
    const made = this.#senders.get(protocol) ?? {
      request: (url, options) => library.request(url, options),
      agent: new library.Agent({ keepAlive: true, timeout: 0, scheduling: "lifo", keepAliveMsecs: idleMs }),
    };
    this.#senders.set(protocol, made);
    return made;
  }
}

/** Running requests keep their connection; nothing is kept after them. */
function retire(agent: Agent, retired: Set<Agent>): void {
  retired.add(agent);
  (agent as { keepAlive?: boolean }).keepAlive = false;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

import net from "node:net";
import path from "node:path";
import type { ProxySettings } from "#foundation/http/proxy";
import { Scope } from "#foundation/lifecycle/disposal";
import type { ProgramCall } from "../terminals/local/local-terminal.ts";
import { type Destination, type HostRules, judgeHost, matchesHost } from "./host-rules.ts";
import { NetworkNamespace, resolverFile, sshHelper } from "./namespace.ts";
import { EgressProxy, type ProxyDecision } from "./proxy.ts";

/** What a person answered about a host; `nobody` when there was none to ask. */
export type HostAnswer = "once" | "session" | "always" | "deny" | "nobody";

/** A host that is asked about; `about` says for what, where it is not a command that connects. */
export interface WantedHost extends Destination {
  readonly about?: { readonly tool: string; readonly address: string; readonly why: string } | undefined;
}

export interface HostDecisionOptions {
  readonly rules: HostRules;
  /** Asks whoever may decide about a host nobody has allowed yet. */
  ask(to: WantedHost, signal: AbortSignal): Promise<HostAnswer>;
  /** Keeps a host that a person allowed for good. */
  remember(to: Destination): Promise<void>;
  /** True for the registries the person's own package managers are set up with. */
  isRegistry(to: Destination, signal: AbortSignal): Promise<boolean>;
  /** True once this session saw secrets: then an answer given earlier for a host does not count any more. */
  hasSeenSecrets(): boolean;
}

export interface SessionNetworkOptions {
  readonly hosts: HostDecisions;
  readonly upstream?: ProxySettings | undefined;
  /** Private to this user and session. */
  readonly folder: string;
  readonly bwrap: string;
  readonly nsenter: string;
  readonly env: NodeJS.ProcessEnv;
  /** Ports besides those of the web on which programs reach hosts by name. */
  readonly ports?: readonly number[] | undefined;
  watch?(pid: number): Disposable;
}

/** A server inside, as it is reached from this machine. */
export interface ForwardedPort {
  readonly port: number;
  /** Differs where the port is taken here. */
  readonly localPort: number;
}

/** The network of one session's commands: empty but for a proxy that asks. */
export class SessionNetwork implements AsyncDisposable {
  readonly #options: SessionNetworkOptions;
  readonly #scope = new Scope();
  readonly #namespace: NetworkNamespace;
  readonly #hosts: HostDecisions;
  readonly #forwarded = new Map<number, ForwardedPort>();

  private constructor(options: SessionNetworkOptions, hosts: HostDecisions, namespace: NetworkNamespace) {
    this.#options = options;
    this.#hosts = hosts;
    this.#namespace = namespace;
  }

  static async open(options: SessionNetworkOptions, signal: AbortSignal): Promise<SessionNetwork> {
    const { hosts } = options;
    const proxy = new EgressProxy({ decide: (to, stop) => hosts.decide(to, stop), upstream: options.upstream });
    const proxySocket = path.join(options.folder, "out");
    try {
      await proxy.listen({ socket: proxySocket });
      const namespace = await NetworkNamespace.open({ ...options, proxySocket }, signal);
      const network = new SessionNetwork(options, hosts, namespace);
      network.#scope.adopt(proxy);
      network.#scope.adopt(namespace);
      return network;
    } catch (error) {
      await proxy[Symbol.asyncDispose]();
      throw error;
    }
  }

  enter(call: ProgramCall): ProgramCall {
    return this.#namespace.enter(call);
  }

  /** Tells programs inside where the way out is. */
  get environment(): Readonly<Record<string, string>> {
    return proxyEnvironment(this.#namespace.proxyPort, sshHelper(this.#options.folder));
  }

  /** The program inside by which ssh gets out. */
  get sshHelper(): string {
    return sshHelper(this.#options.folder);
  }

  /** Replaces `/etc/resolv.conf` inside. */
  get resolverFile(): string {
    return resolverFile(this.#options.folder);
  }

  /** What was refused since the last call, for the result that the model reads. */
  takeRefusals(): readonly string[] {
    return this.#hosts.takeRefusals();
  }

  takeReached(): readonly string[] {
    return this.#hosts.takeReached();
  }

  /** An answer for "once" counts until the command ends. */
  commandEnded(): void {
    this.#hosts.forgetOnce();
  }

  /** Makes servers that commands started reachable from this machine; those that are new since the last call. */
  async forwardServers(): Promise<readonly ForwardedPort[]> {
    const listening = await this.#namespace.listeningPorts();
    const added: ForwardedPort[] = [];
    for (const port of listening) {
      if (this.#forwarded.has(port)) continue;
      const server = net.createServer((client) => join(client, this.#namespace.connect(port)));
      const localPort = (await listenOn(server, port)) ?? (await listenOn(server, 0));
      if (localPort === undefined) continue;
      this.#scope.defer(() => new Promise<void>((resolve) => server.close(() => resolve())));
      server.unref();
      const one = { port, localPort };
      this.#forwarded.set(port, one);
      added.push(one);
    }
    return added;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#scope[Symbol.asyncDispose]();
  }
}

/** Who decided what about which host in this session. */
export class HostDecisions {
  readonly #options: HostDecisionOptions;
  readonly #session = new Set<string>();
  readonly #always = new Set<string>();
  readonly #once = new Set<string>();
  readonly #asking = new Map<string, Promise<ProxyDecision>>();
  readonly #refusals = new Set<string>();
  readonly #reached = new Set<string>();

  constructor(options: HostDecisionOptions) {
    this.#options = options;
  }

  /** About a connection of a program. */
  async decide(to: Destination, signal: AbortSignal): Promise<ProxyDecision> {
    const decision = await this.settle(to, signal, this.#once);
    if (decision.kind === "deny") this.#refusals.add(decision.reason);
    // What package managers say about what they fetched is not what was fetched.
    if (decision.kind === "allow" && !(await this.#options.isRegistry(to, signal))) this.#reached.add(to.host);
    return decision;
  }

  /** Hosts that were reached since the last call; whatever was printed may be their words. */
  takeReached(): readonly string[] {
    const reached = [...this.#reached];
    this.#reached.clear();
    return reached;
  }

  /** Whether a host is open without a question. */
  isOpen(to: Destination, once: ReadonlySet<string>): boolean {
    const verdict = judgeHost(to, this.#options.rules).kind;
    const key = `${to.host}:${to.port}`;
    const isSettled = this.#always.has(key) || once.has(key) || this.#session.has(key);
    return verdict === "allow" || (verdict === "ask" && isSettled);
  }

  /** `once` holds what was allowed one time, for as long as whoever owns it wants. */
  async settle(to: WantedHost, signal: AbortSignal, once: Set<string>): Promise<ProxyDecision> {
    const verdict = judgeHost(to, this.#options.rules);
    if (verdict.kind === "refuse") return { kind: "deny", reason: verdict.reason };
    if (verdict.kind === "allow") {
      const isNamed = this.#options.rules.allow.some((pattern) => matchesHost(pattern, to));
      return { kind: "allow", mayBePrivate: isNamed };
    }
    const key = `${to.host}:${to.port}`;
    const isSettled =
      this.#always.has(key) || once.has(key) || (this.#session.has(key) && !this.#options.hasSeenSecrets());
    if (isSettled) return { kind: "allow", mayBePrivate: false };
    // Programs open many connections at once; a person is asked one time for all of them.
    const running = this.#asking.get(key) ?? this.#ask(to, signal, once).finally(() => this.#asking.delete(key));
    this.#asking.set(key, running);
    return running;
  }

  takeRefusals(): readonly string[] {
    const refusals = [...this.#refusals];
    this.#refusals.clear();
    return refusals;
  }

  forgetOnce(): void {
    this.#once.clear();
  }

  async #ask(to: WantedHost, signal: AbortSignal, once: Set<string>): Promise<ProxyDecision> {
    const key = `${to.host}:${to.port}`;
    if (await this.#options.isRegistry(to, signal)) {
      this.#always.add(key);
      return { kind: "allow", mayBePrivate: false };
    }
    const answer = await this.#options.ask(to, signal);
    if (answer === "nobody")
      return { kind: "deny", reason: `${key} is not an allowed host, and nobody can be asked here` };
    if (answer === "deny") return { kind: "deny", reason: `the user did not allow a connection to ${key}` };
    const kept = { once, session: this.#session, always: this.#always }[answer];
    kept.add(key);
    if (answer === "always") await this.#options.remember(to);
    return { kind: "allow", mayBePrivate: false };
  }
}

/** What programs read to find the proxy. */
export function proxyEnvironment(port: number, sshConnect?: string): Readonly<Record<string, string>> {
  const address = `http://127.0.0.1:${port}`;
  const direct = "localhost,127.0.0.1,::1";
  return {
    HTTP_PROXY: address,
    http_proxy: address,
    HTTPS_PROXY: address,
    https_proxy: address,
    ALL_PROXY: address,
    all_proxy: address,
    // That of the person may hold a password.
    FTP_PROXY: address,
    ftp_proxy: address,
    NO_PROXY: direct,
    no_proxy: direct,
    // Node takes proxies from the environment only when it is told to.
    NODE_USE_ENV_PROXY: "1",
    ...(sshConnect === undefined ? {} : { GIT_SSH_COMMAND: `ssh -o ProxyCommand='${sshConnect} %h %p'` }),
  };
}

function listenOn(server: net.Server, port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    server.once("error", () => resolve(undefined));
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : undefined);
    });
  });
}

function join(one: net.Socket, other: net.Socket): void {
  one.pipe(other).pipe(one);
  for (const [left, right] of [
    [one, other],
    [other, one],
  ] as const) {
    left.on("error", () => right.destroy());
    left.on("close", () => right.destroy());
  }
}

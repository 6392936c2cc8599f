import { mkdtempSync, rmSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { userInfo } from "node:os";
import path from "node:path";
import { describe } from "#foundation/errors";
import { ensureDir } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import type { ProxySettings } from "#foundation/http/proxy";
import { Scope } from "#foundation/lifecycle/disposal";
import type { SessionScope } from "../call/session-scope.ts";
import type { HostRules } from "../network/host-rules.ts";
import { EgressProxy } from "../network/proxy.ts";
import type { KnownRegistries } from "../network/registries.ts";
import { type HostAnswer, HostDecisions, proxyEnvironment, SessionNetwork } from "../network/session-network.ts";
import type { ProgramCall } from "../terminals/local/local-terminal.ts";
import { bubblewrapCall } from "./bubblewrap.ts";
import { cacheVariables } from "./cache-variables.ts";
import { type ChangeGuard, GitConfigGuard, HomeGuard } from "./change-guards.ts";
import { type Confinement, isBroad, isWithin, judgeRead } from "./confinement.ts";
import type { Enforcer } from "./enforcer.ts";
import { seatbeltProfile } from "./seatbelt.ts";

export interface WallOptions {
  readonly enforcer: Enforcer;
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  readonly hermesHome: string;
  readonly hermesReadable: readonly string[];
  readonly hermesWritable: readonly string[];
  readonly tempDir: string;
  /** Where package managers keep what they fetched, away from the person's own caches. */
  readonly cacheFolder: string;
  /** Added by the person: `security.writable_paths`, `security.masked_paths`. */
  readonly writable: readonly string[];
  readonly masked: readonly string[];
  readonly environment: readonly string[];
  readonly network: HostRules;
  readonly registries: KnownRegistries;
  readonly upstream?: ProxySettings | undefined;
  readonly logger: Logger;
  watch?(pid: number): Disposable;
}

/** Where one call starts, and what of our own it needs to write. */
export interface CallLocation {
  readonly cwd: string;
  /** Nobody waits for its end, and nobody looks at what it left. */
  readonly isBackground: boolean;
  readonly writable: readonly string[];
}

/** The wall of one session in force: makes calls confined ones, and says afterwards what it held back. */
export class Wall implements AsyncDisposable {
  readonly confinement: Confinement;
  /** Variables that tell programs inside where the way out is. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #options: WallOptions;
  readonly #scope = new Scope();
  readonly #network: Network;
  readonly #guards: readonly ChangeGuard[];
  /** Secrets that a person let this session see. */
  readonly #seen: Set<string>;

  private constructor(
    options: WallOptions,
    made: { readonly confinement: Confinement; readonly network: Network; readonly seen: Set<string> },
  ) {
    this.#options = options;
    this.confinement = made.confinement;
    this.#seen = made.seen;
    this.#network = made.network;
    this.environment = {
      ...made.network.environment,
      ...(options.enforcer.kind === "none" ? {} : cacheVariables(options.cacheFolder)),
    };
    const { workspace, home } = made.confinement;
    this.#guards = [new GitConfigGuard(workspace), ...(isBroad(made.confinement) ? [new HomeGuard(home)] : [])];
  }

  static async open(options: WallOptions, session: SessionScope, signal: AbortSignal): Promise<Wall> {
    if (options.enforcer.kind !== "none") await ensureDir(options.cacheFolder, 0o700);
    const confinement = await confinementOf(options, session.cwd);
    const scope = new Scope();
    try {
      const seen = new Set<string>();
      const network = await openNetwork(options, { session, scope, hasSeenSecrets: () => seen.size > 0 }, signal);
      const wall = new Wall(options, { confinement, network, seen });
      wall.#scope.adopt(scope);
      return wall;
    } catch (error) {
      await scope[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** False where nothing on this machine can hold programs inside. */
  get isInForce(): boolean {
    return this.#options.enforcer.kind !== "none";
  }

  /** Without a question. */
  mayRead(real: string): boolean {
    return this.#seen.has(real) || judgeRead(this.confinement, real).kind === "allowed";
  }

  /** A person let this session see a secret: programs see it too when it lies in the project, and hosts are asked about again. */
  reveal(file: string): void {
    this.#seen.add(file);
  }

  confine(call: ProgramCall, at: CallLocation): ProgramCall {
    const { enforcer, tempDir } = this.#options;
    const revealed = [...this.#seen].filter((file) => isWithin(this.confinement.workspace, file));
    if (enforcer.kind === "none") return call;
    if (enforcer.kind === "seatbelt") {
      const profile = seatbeltProfile(this.confinement, { ...at, tempDir, revealed, network: this.#network.seatbelt });
      return { program: enforcer.program, args: ["-p", profile, call.program, ...call.args] };
    }
    const conditions = { ...at, tempDir, revealed, isOffline: this.#network.isOffline };
    return this.#network.enter(bubblewrapCall(enforcer, this.confinement, { call, at: conditions }));
  }

  /** Before a command in the foreground. */
  begin(): void {
    for (const guard of this.#guards) guard.remember();
  }

  /** After a command: what was held back or made reachable, in words for the model. */
  async settle(): Promise<readonly string[]> {
    const reverted = this.#guards.flatMap((guard) => guard.settle());
    return [...reverted, ...(await this.#network.settle())];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#scope[Symbol.asyncDispose]();
  }
}

async function confinementOf(options: WallOptions, cwd: string): Promise<Confinement> {
  const real = (folder: string): Promise<string> => realpath(folder).catch(() => path.resolve(folder));
  const [workspace, home, hermesHome, tempDir] = await Promise.all(
    [cwd, options.home, options.hermesHome, options.tempDir].map(real),
  );
  return {
    workspace: workspace ?? cwd,
    writable: [
      ...new Set([workspace ?? cwd, tempDir ?? options.tempDir, ...(await Promise.all(options.writable.map(real)))]),
    ],
    home: home ?? options.home,
    otherHomes: [userInfo().homedir].filter((folder) => folder !== "" && folder !== home && folder !== options.home),
    hermesHome: hermesHome ?? options.hermesHome,
    hermesReadable: await Promise.all(options.hermesReadable.map(real)),
    hermesWritable: await Promise.all([...options.hermesWritable, options.cacheFolder].map(real)),
    masked: await Promise.all(options.masked.map(real)),
    network: options.network,
    environment: options.environment,
    enforcement: options.enforcer.kind,
  };
}

/** How the programs of a session reach the world. */
interface Network {
  readonly environment: Readonly<Record<string, string>>;
  readonly isOffline: boolean;
  readonly seatbelt: Parameters<typeof seatbeltProfile>[1]["network"];
  enter(call: ProgramCall): ProgramCall;
  settle(): Promise<readonly string[]>;
}

const sharedNetwork: Network = {
  environment: {},
  isOffline: false,
  seatbelt: { kind: "open" },
  enter: (call) => call,
  settle: () => Promise.resolve([]),
};

async function openNetwork(
  options: WallOptions,
  {
    session,
    scope,
    hasSeenSecrets,
  }: { readonly session: SessionScope; readonly scope: Scope; hasSeenSecrets(): boolean },
  signal: AbortSignal,
): Promise<Network> {
  const { enforcer, network: rules, logger } = options;
  if (enforcer.kind === "none" || rules.mode === "open") return sharedNetwork;
  const decisions = {
    rules,
    ask: (to: { readonly host: string; readonly port: number }, stop: AbortSignal) => askAboutHost(session, to, stop),
    isRegistry: (to: { readonly host: string; readonly port: number }, stop: AbortSignal) =>
      options.registries.has(to, stop),
    hasSeenSecrets,
  };
  if (enforcer.kind === "seatbelt")
    return proxyOnLoopback(new HostDecisions(decisions), { scope, upstream: options.upstream });
  const none: Network = { ...sharedNetwork, isOffline: true, seatbelt: { kind: "none" } };
  if (enforcer.nsenter === undefined) {
    logger.warn("commands have no network: nsenter is not installed");
    return none;
  }
  const folder = mkdtempSync(path.join(options.tempDir, "hermes-net-"));
  scope.defer(() => rmSync(folder, { recursive: true, force: true }));
  try {
    const opened = scope.adopt(
      await SessionNetwork.open(
        {
          ...decisions,
          upstream: options.upstream,
          folder,
          bwrap: enforcer.program,
          nsenter: enforcer.nsenter,
          env: options.env,
          watch: (pid) => options.watch?.(pid) ?? { [Symbol.dispose]: () => undefined },
        },
        signal,
      ),
    );
    return {
      environment: opened.environment,
      isOffline: false,
      seatbelt: { kind: "none" },
      enter: (call) => opened.enter(call),
      settle: async () => {
        opened.commandEnded();
        const forwarded = await opened.forwardServers();
        return [...opened.takeRefusals().map(refusedNote), ...forwarded.map(forwardedNote)];
      },
    };
  } catch (error) {
    signal.throwIfAborted();
    logger.warn("commands have no network", { error: describe(error) });
    return none;
  }
}

async function proxyOnLoopback(
  decisions: HostDecisions,
  { scope, upstream }: { readonly scope: Scope; readonly upstream: ProxySettings | undefined },
): Promise<Network> {
  const proxy = scope.adopt(new EgressProxy({ decide: (to, signal) => decisions.decide(to, signal), upstream }));
  const port = (await proxy.listen({ port: 0 })) ?? 0;
  return {
    environment: proxyEnvironment(port),
    isOffline: false,
    seatbelt: { kind: "proxy", port },
    enter: (call) => call,
    settle: () => {
      decisions.forgetOnce();
      return Promise.resolve(decisions.takeRefusals().map(refusedNote));
    },
  };
}

async function askAboutHost(
  session: SessionScope,
  to: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<HostAnswer> {
  const { askHost } = await import("./ask-host.ts");
  return askHost(session, to, signal);
}

function refusedNote(reason: string): string {
  return `[network: not connected, ${reason}]`;
}

function forwardedNote({ port, localPort }: { readonly port: number; readonly localPort: number }): string {
  return port === localPort
    ? `[network: the server on port ${port} is reachable from this machine at http://127.0.0.1:${port}]`
    : `[network: the server on port ${port} is reachable from this machine at http://127.0.0.1:${localPort} (port ${port} is taken there)]`;
}

import { realpath } from "node:fs/promises";
import { userInfo } from "node:os";
import path from "node:path";
import { ensureDir } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import { privateRoot } from "#foundation/files/private-folder";
import type { ProxySettings } from "#foundation/http/proxy";
import { Scope } from "#foundation/lifecycle/disposal";
import type { SessionScope } from "../contract/session-scope.ts";
import type { Destination, HostRules } from "../network/host-rules.ts";
import type { KnownRegistries } from "../network/registries.ts";
import { HostDecisions } from "../network/session-network.ts";
import type { ProgramCall } from "../terminals/local/local-terminal.ts";
import { bubblewrapCall } from "./bubblewrap.ts";
import { cacheVariables } from "./cache-variables.ts";
import { type ChangeGuard, HomeGuard, RepositoryGuard } from "./change-guards.ts";
import { type Confinement, isBroad, isWithin, judgeRead, type PathJudgement } from "./confinement.ts";
import type { Enforcer } from "./enforcer.ts";
import { heldBackNotes } from "./held-back.ts";
import { seatbeltProfile } from "./seatbelt.ts";
import { KnownSecretFiles } from "./secret-files.ts";
import { openWallNetwork, type WallNetwork } from "./wall-network.ts";

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
  /** Keeps a host that a person allowed for good. */
  remember(to: Destination): Promise<void>;
  readonly upstream?: ProxySettings | undefined;
  /** Secrets that the person named for what runs behind this wall: seen from the start. */
  readonly revealed?: readonly string[] | undefined;
  /** Ports besides those of the web on which programs reach hosts by name. */
  readonly ports?: readonly number[] | undefined;
  readonly logger: Logger;
  watch?(pid: number): Disposable;
}

/** Rules about hosts that a wall may replace while it stands. */
type LiveHosts = { -readonly [K in keyof HostRules]: HostRules[K] };

/** What rules of the person add to a wall. */
export interface WallRules {
  readonly writable: readonly string[];
  readonly masked: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly deniedHosts: readonly string[];
}

/** For whom a wall stands: a session, or a program that serves several. */
export type WallOwner = Pick<SessionScope, "key" | "cwd" | "userId" | "approver">;

/** Where one call starts, and what of our own it needs to write. */
export interface CallLocation {
  readonly cwd: string;
  /** Nobody waits for its end, and nobody looks at what it left. */
  readonly isBackground: boolean;
  readonly writable: readonly string[];
}

/** What others than tools need of a wall: to run a program behind it, and to know what may be read. */
export interface SessionWall {
  /** True where programs should be held inside and nothing on this machine can. */
  readonly isMissing: boolean;
  readonly environment: Readonly<Record<string, string>>;
  confine(call: ProgramCall, at: CallLocation): ProgramCall;
  /** `real` has its links and `..` resolved. */
  judgeRead(real: string): PathJudgement;
}

/** The wall of one session in force: makes calls confined ones, and says afterwards what it held back. */
export class Wall implements SessionWall, AsyncDisposable {
  /** As the settings want it, without rules. */
  readonly #settings: Confinement;
  #confinement: Confinement;
  /** Variables that tell programs inside where the way out is. */
  readonly environment: Readonly<Record<string, string>>;
  /** The part of them that is about the network. */
  readonly networkEnvironment: Readonly<Record<string, string>>;
  readonly #options: WallOptions;
  readonly #scope = new Scope();
  readonly #network: WallNetwork;
  /** Who allowed which host, for programs and for tools that visit addresses. */
  readonly hosts: HostDecisions;
  readonly #hostRules: LiveHosts;
  readonly #guards: readonly ChangeGuard[];
  /** Secrets that a person let this session see. */
  readonly #seen: Set<string>;
  #hasReadPrivate = false;
  /** Commands and scripts that are not settled yet. */
  #running = 0;
  readonly #secretFiles = new KnownSecretFiles();

  private constructor(
    options: WallOptions,
    made: {
      readonly confinement: Confinement;
      readonly network: WallNetwork;
      readonly hostRules: LiveHosts;
      readonly hosts: HostDecisions;
      readonly seen: Set<string>;
    },
  ) {
    this.#options = options;
    this.#settings = made.confinement;
    this.#confinement = made.confinement;
    this.#hostRules = made.hostRules;
    this.hosts = made.hosts;
    this.#seen = made.seen;
    this.#network = made.network;
    this.networkEnvironment = made.network.environment;
    this.environment = {
      ...made.network.environment,
      ...(options.enforcer.kind === "none" ? {} : cacheVariables(options.cacheFolder)),
    };
    const { workspace, home } = made.confinement;
    this.#guards = [
      new RepositoryGuard(workspace, {
        find: () => this.#secretFiles.repositoriesIn(workspace),
        isHeld: this.isInForce,
      }),
      ...(isBroad(made.confinement) ? [new HomeGuard(home)] : []),
    ];
  }

  static async open(wanted: WallOptions, owner: WallOwner, signal: AbortSignal): Promise<Wall> {
    const hostRules: LiveHosts = { ...wanted.network };
    const options = { ...wanted, network: hostRules };
    if (options.enforcer.kind !== "none") await ensureDir(options.cacheFolder, 0o700);
    const confinement = await confinementOf(options, owner.cwd);
    const scope = new Scope();
    try {
      const seen = new Set<string>();
      const hosts = new HostDecisions({
        rules: hostRules,
        ask: async (to, stop) => (await import("./ask-host.ts")).askHost(owner, to, stop),
        remember: (to) => options.remember(to),
        isRegistry: (to, stop) => options.registries.has(to, stop),
        hasSeenSecrets: () => seen.size > 0,
      });
      const network = await openWallNetwork(options, { hosts, scope }, signal);
      const wall = new Wall(wanted, { confinement, network, hostRules, hosts, seen });
      wall.#scope.adopt(scope);
      return wall;
    } catch (error) {
      await scope[Symbol.asyncDispose]();
      throw error;
    }
  }

  get confinement(): Confinement {
    return this.#confinement;
  }

  /** What the rules of the person add counts from the next call on, for files, programs and hosts. */
  async follow(rules: WallRules): Promise<void> {
    const { network } = this.#options;
    const real = (file: string): Promise<string> => realpath(file).catch(() => path.resolve(file));
    const [writable, masked] = await Promise.all([
      Promise.all(rules.writable.map(real)),
      Promise.all(rules.masked.map(real)),
    ]);
    this.#confinement = {
      ...this.#settings,
      writable: [...new Set([...this.#settings.writable, ...writable])],
      masked: [...new Set([...this.#settings.masked, ...masked])],
    };
    this.#hostRules.allow = [...network.allow, ...rules.allowedHosts];
    this.#hostRules.deny = [...network.deny, ...rules.deniedHosts];
  }

  /** False where nothing on this machine can hold programs inside. */
  get isInForce(): boolean {
    return this.#options.enforcer.kind !== "none";
  }

  get isMissing(): boolean {
    return this.confinement.enforcement === "none";
  }

  judgeRead(real: string): PathJudgement {
    return this.#seen.has(real) ? { kind: "allowed" } : judgeRead(this.confinement, real);
  }

  /** Without a question. */
  mayRead(real: string): boolean {
    return this.judgeRead(real).kind === "allowed";
  }

  /** A person let this session see a secret: programs see it too when it lies in the project, and hosts are asked about again. */
  reveal(file: string): void {
    this.#seen.add(file);
  }

  /** A tool read a file: whether it is one of the person's own outside of the project is kept in mind. */
  noteRead(real: string): void {
    const { workspace, home, hermesReadable, writable } = this.confinement;
    const isOpen = [workspace, ...hermesReadable, ...writable].some((folder) => isWithin(folder, real));
    if (!isOpen && isWithin(home, real)) this.#hasReadPrivate = true;
  }

  /** Secrets or files of the person outside of the project were read in this session. */
  get hasSeenPrivate(): boolean {
    return this.#hasReadPrivate || this.#seen.size > 0;
  }

  confine(call: ProgramCall, at: CallLocation): ProgramCall {
    const { enforcer, tempDir } = this.#options;
    const seen = [...this.#seen].filter((file) => isWithin(this.confinement.workspace, file));
    const revealed = [...seen, ...(this.#options.revealed ?? [])];
    if (enforcer.kind === "none") return call;
    if (enforcer.kind === "seatbelt") {
      const profile = seatbeltProfile(this.confinement, { ...at, tempDir, revealed, network: this.#network.seatbelt });
      return { program: enforcer.program, args: ["-p", profile, call.program, ...call.args] };
    }
    const { isOffline, resolver, readable } = this.#network;
    const conditions = { ...at, tempDir, revealed, isOffline, resolver, readable, secretFiles: this.#secretFiles };
    return this.#network.enter(bubblewrapCall(enforcer, this.confinement, { call, at: conditions }));
  }

  /** Hosts that programs of this session reached since the last call; undefined where nobody can know. */
  takeReached(): readonly string[] | undefined {
    return this.isInForce && this.#options.network.mode !== "open" ? this.#network.takeReached() : undefined;
  }

  /** Before a command in the foreground, or a script, whose text nobody was asked about; each is settled. */
  begin(command?: string): void {
    // One may run in another, as in a script: what that did so far must not count as having been there.
    if (this.#running === 0) for (const guard of this.#guards) guard.remember();
    for (const guard of this.#guards) guard.expect(command ?? "");
    this.#running += 1;
  }

  /** After a command: what was held back or made reachable, in words for the model. */
  async settle(ended?: { readonly output: string; readonly exitCode: number }): Promise<readonly string[]> {
    const reverted = (await Promise.all(this.#guards.map((guard) => guard.settle()))).flat();
    this.#running = Math.max(0, this.#running - 1);
    // What others go on from is as it should be now.
    if (this.#running > 0) for (const guard of this.#guards) guard.remember();
    const hasFailed = this.isInForce && ended !== undefined && ended.exitCode !== 0;
    const held = hasFailed ? heldBackNotes(ended.output, this.confinement.workspace) : [];
    return [...reverted, ...held, ...(await this.#network.settle())];
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
  // What is kept there for other sessions is no business of this one's programs.
  const kept = await privateRoot(options.tempDir);
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
    masked: await Promise.all([...options.masked, kept].map(real)),
    network: options.network,
    environment: options.environment,
    enforcement:
      options.enforcer.kind === "none" && options.enforcer.notice === undefined ? "off" : options.enforcer.kind,
  };
}

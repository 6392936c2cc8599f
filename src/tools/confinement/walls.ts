import { ownEnvironment } from "#foundation/process/platform";
import type { SessionScope } from "../contract/session-scope.ts";
import { isBroad } from "./confinement.ts";
import type { Enforcer, SandboxMode } from "./enforcer.ts";
import type { Wall, WallOptions, WallOwner, WallRules } from "./wall.ts";

export interface WallsOptions extends Omit<WallOptions, "enforcer"> {
  /** What the rules of the person add to a wall. */
  rules(owner: WallOwner): Promise<WallRules>;
  readonly mode: SandboxMode;
  /** Something a person should see once: that nothing confines programs here. */
  onNotice(text: string): void;
}

/** What a program of the person's own has besides what every wall gives: what was named for it in its settings. */
export interface ProgramLimits {
  readonly writable: readonly string[];
  readonly revealed: readonly string[];
  readonly hosts: readonly string[];
  readonly ports: readonly number[];
}

/** The walls of all sessions of a process; each is made when its session first runs something, and ends with it. */
export class Walls implements AsyncDisposable {
  readonly #options: WallsOptions;
  readonly #bySession = new Map<string, Promise<Wall>>();
  #enforcer: Promise<Enforcer> | undefined;

  constructor(options: WallsOptions) {
    this.#options = options;
  }

  of(scope: SessionScope, signal: AbortSignal): Promise<Wall> {
    const known = this.#bySession.get(scope.key);
    if (known !== undefined) return known;
    const made = this.#open(scope, signal);
    this.#bySession.set(scope.key, made);
    // A failure or an interrupt is not remembered: the next command tries again.
    made.catch(() => this.#bySession.delete(scope.key));
    return made;
  }

  /** The wall of a session that has one already. */
  async standing(sessionKey: string): Promise<Wall | undefined> {
    return this.#bySession.get(sessionKey)?.catch(() => undefined);
  }

  /** A wall for a program that belongs to no session; whoever asked for it ends it. */
  forProgram(owner: WallOwner, limits: ProgramLimits, signal: AbortSignal): Promise<Wall> {
    const { writable, network } = this.#options;
    const wider = {
      writable: [...writable, ...limits.writable],
      network: { ...network, allow: [...network.allow, ...limits.hosts] },
      revealed: limits.revealed,
      ports: limits.ports,
    };
    return this.#open(owner, signal, wider);
  }

  /** The rules of a session are others now: a wall that stands follows them. */
  async rulesChanged(scope: SessionScope): Promise<void> {
    const wall = await this.#bySession.get(scope.key);
    await wall?.follow(await this.#options.rules(scope));
  }

  /** The session is closed: nothing of its wall stays. */
  async end(sessionKey: string): Promise<void> {
    const wall = this.#bySession.get(sessionKey);
    this.#bySession.delete(sessionKey);
    await (await wall?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#bySession.keys()].map((key) => this.end(key)));
  }

  async #open(owner: WallOwner, signal: AbortSignal, wider: Partial<WallOptions> = {}): Promise<Wall> {
    this.#enforcer ??= this.#find(owner, signal);
    try {
      const { Wall } = await import("./wall.ts");
      const wall = await Wall.open({ ...this.#options, ...wider, enforcer: await this.#enforcer }, owner, signal);
      await wall.follow(await this.#options.rules(owner));
      return wall;
    } catch (error) {
      this.#enforcer = undefined;
      throw error;
    }
  }

  async #find({ cwd }: WallOwner, signal: AbortSignal): Promise<Enforcer> {
    const { mode, tempDir, home } = this.#options;
    const { findEnforcer } = await import("./enforcer.ts");
    // Who works in the home has it guarded: what is on the PATH there is not written without a question.
    const open = isBroad({ workspace: cwd, home }) ? [tempDir] : [cwd, tempDir];
    const enforcer = await findEnforcer({ mode, env: ownEnvironment(this.#options.env, open) }, signal);
    if (enforcer.kind === "none" && enforcer.notice !== undefined) this.#options.onNotice(enforcer.notice);
    return enforcer;
  }
}

import { describe } from "#foundation/errors";
import { never } from "#foundation/lifecycle/abort";
import { KeyedMutex } from "#foundation/lifecycle/mutex";
import type { WebExit } from "../confinement/web-exits.ts";
import { backendKind, openBrowser } from "./backend.ts";
import type { BrowserDriver, DriverKind } from "./driver.ts";
import type { PageGuard, PageLocation, PageVerdict } from "./guard.ts";
import { type OpenDeps, type OpenRequest, openLocal } from "./open.ts";
import type { PageRequest } from "./page/navigation-watch.ts";

interface Session {
  readonly driver: BrowserDriver;
  lastUsedMs: number;
}

export interface TakeRequest {
  readonly taskId: string;
  readonly surface: string;
  readonly url: string;
  /** Judges what leaves with the addresses that this navigation leads to. */
  readonly exit: WebExit;
  readonly signal: AbortSignal;
}

const sidecarSuffix = "::local";

/**
 * The browsers of all tasks. A task has one; with a cloud browser it may have a second one on this
 * machine for private addresses. Calls after a navigation go to the browser that navigated last.
 */
export class BrowserSessions implements AsyncDisposable {
  readonly #deps: OpenDeps;
  readonly #guard: PageGuard;
  readonly #sessions = new Map<string, Session>();
  readonly #current = new Map<string, string>();
  /** By the same keys as the browsers: the way out of the call that acted last. */
  readonly #exits = new Map<string, WebExit>();
  readonly #locks = new KeyedMutex<string>();
  readonly #stop = new AbortController();
  #sweeping: Promise<void> | undefined;

  constructor(deps: OpenDeps, guard: PageGuard) {
    this.#deps = deps;
    this.#guard = guard;
  }

  kind(signal: AbortSignal): Promise<DriverKind> {
    return backendKind(this.#deps, signal);
  }

  /** The browser that will open an address, started if need be. */
  async forNavigation(request: TakeRequest): Promise<BrowserDriver> {
    const key = await this.#keyFor(request);
    return this.#locks.run(
      key,
      async () => {
        this.#exits.set(key, request.exit);
        const found = this.#sessions.get(key);
        if (found?.driver.isAlive === true) return this.#use(request.taskId, key, found);
        if (found !== undefined) await this.#end(key);
        this.#exits.set(key, request.exit);
        const isSidecar = key.endsWith(sidecarSuffix);
        const isStrict = !this.#guard.mayVisitPrivate({ kind: "local", surface: request.surface });
        // Pages go on after the call that opened them, so no call's signal ends the judging.
        const judgeHop: OpenRequest["judgeHop"] = (url, at) =>
          this.#judge(key, url, { ...at, surface: request.surface });
        const open = isSidecar ? openLocal : openBrowser;
        const driver = await open(this.#deps, { taskId: request.taskId, isStrict, judgeHop }, request.signal);
        const session = { driver, lastUsedMs: this.#deps.clock.now() };
        this.#sessions.set(key, session);
        this.#sweeping ??= this.#sweepForever();
        return this.#use(request.taskId, key, session);
      },
      request.signal,
    );
  }

  /** The browser that navigated last, if it is still there. */
  current(taskId: string): BrowserDriver | undefined {
    const key = this.#current.get(taskId);
    const session = key === undefined ? undefined : this.#sessions.get(key);
    if (key === undefined || session === undefined || !session.driver.isAlive) return undefined;
    return this.#use(taskId, key, session);
  }

  /** The model acts on the page itself: what the page asks for from now on may be the model's words. */
  actedOn(taskId: string, exit: WebExit): void {
    const key = this.#current.get(taskId);
    if (key !== undefined) this.#exits.set(key, exit);
  }

  /** Ends all browsers of a task. */
  async release(taskId: string): Promise<void> {
    this.#current.delete(taskId);
    await Promise.all([taskId, `${taskId}${sidecarSuffix}`].map((key) => this.#end(key)));
  }

  /** Ends what nobody used for too long; returns how many that were. */
  async sweep(): Promise<number> {
    const oldestMs = this.#deps.clock.now() - this.#deps.options.inactivityMs;
    const idle = [...this.#sessions].filter(([, session]) => session.lastUsedMs <= oldestMs || !session.driver.isAlive);
    await Promise.all(idle.map(([key]) => this.#end(key)));
    return idle.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#sweeping;
    await Promise.all([...this.#sessions.keys()].map((key) => this.#end(key)));
  }

  /** Whether an address is opened on this machine although the usual browser is elsewhere. */
  async goesLocal(url: string, signal: AbortSignal): Promise<boolean> {
    if (!this.#deps.options.autoLocalForPrivateUrls || (await this.kind(signal)) !== "cloud") return false;
    return this.#guard.isPrivate(url, signal);
  }

  async #keyFor({ taskId, url, signal }: TakeRequest): Promise<string> {
    return (await this.goesLocal(url, signal)) ? `${taskId}${sidecarSuffix}` : taskId;
  }

  /** What leaves is judged first: looking up a name tells somebody about it already. */
  async #judge(key: string, url: string, at: PageLocation & PageRequest): Promise<PageVerdict> {
    if (!at.isPage && /^(?:data|blob):/i.test(url)) return { kind: "allowed" };
    const held = await this.#exits.get(key)?.judge(url, { hasBody: at.hasBody, isQuiet: !at.isPage });
    return held === undefined ? this.#guard.judge(url, at, never) : { kind: "refused", reason: held };
  }

  #use(taskId: string, key: string, session: Session): BrowserDriver {
    session.lastUsedMs = this.#deps.clock.now();
    this.#current.set(taskId, key);
    return session.driver;
  }

  async #end(key: string): Promise<void> {
    const session = this.#sessions.get(key);
    if (session === undefined) return;
    this.#sessions.delete(key);
    this.#exits.delete(key);
    try {
      await session.driver[Symbol.asyncDispose]();
    } catch (error) {
      this.#deps.logger.warn("A browser did not close cleanly", { error: describe(error) });
    }
  }

  async #sweepForever(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#deps.clock.sleep(this.#deps.options.sweepEveryMs, signal);
        await this.sweep();
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
  }
}

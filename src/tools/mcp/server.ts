import type { Client } from "@modelcontextprotocol/client";
import { defined } from "#foundation/defined";
import { describe, UserError } from "#foundation/errors";
import { deadline, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { backoffMs } from "#foundation/time/retry";
import type { ToolContext } from "../contract/context.ts";
import type { McpServerSettings } from "../contract/mcp-settings.ts";
import type { SessionScope } from "../contract/session-scope.ts";
import { type Caller, Callers } from "./callers.ts";
import { CircuitBreaker } from "./connection/breaker.ts";
import { failureKind } from "./connection/failure.ts";
import { LastWords } from "./connection/last-words.ts";
import { type McpSession, openSession } from "./connection/session.ts";
import { askUnheld, type UnheldAnswer } from "./connection/unheld.ts";
import { emptyCatalogue, type McpCatalogue } from "./definition.ts";
import type { McpDeps } from "./deps.ts";
import { Sampler, type SamplingMetrics } from "./sampling.ts";

const firstRetries = 3;
const dropRetries = 5;
const healthyMs = 60_000;
const slowProbeMs = 5 * 60_000;
const recoverTimeoutMs = 15_000;

export interface McpServerStatus {
  readonly name: string;
  readonly transport: string;
  readonly connected: boolean;
  readonly tools: number;
  readonly lastError?: string;
  /** When the next attempt is due, in milliseconds since 1970. */
  readonly retryAtMs?: number;
  readonly sampling?: SamplingMetrics;
}

/** What became of a request, before it is put into words for the model. */
export type McpAnswer<T> =
  | { readonly kind: "answer"; readonly value: T }
  | { readonly kind: "refused"; readonly waitMs: number }
  | { readonly kind: "offline"; readonly message: string }
  | { readonly kind: "login-needed" }
  | { readonly kind: "interrupted" }
  | { readonly kind: "failed"; readonly message: string };

interface Asking {
  /** Also fires when the time is over. */
  readonly signal: AbortSignal;
  /** Fires when the caller stops it. */
  readonly stopped: AbortSignal;
}

/**
 * One server and the task that keeps it connected.
 *
 * 1. At most one connection at a time; whatever a failed attempt started is gone before the next.
 * 2. Time spent healthy wipes out earlier failures, so a server that drops once a day is never given up.
 * 3. Nothing here touches the registry: what the server offers is read by {@link catalogue} when the caller chooses.
 */
export class McpServer implements AsyncDisposable {
  readonly settings: McpServerSettings;
  readonly #deps: McpDeps;
  readonly #breaker: CircuitBreaker;
  readonly #sampler: Sampler | undefined;
  readonly #stop = new AbortController();
  #attempted = new Deferred<void>();
  readonly #callers = new Callers();
  #onChange: () => void = () => undefined;
  #running: Promise<void> | undefined;
  /** Whoever asks for what its program needs while it works for nobody. */
  #starter: SessionScope | undefined;
  readonly #unheld: UnheldAnswer = {};
  #hearing: Promise<void> | undefined;
  #session: McpSession | undefined;
  #catalogue: McpCatalogue = emptyCatalogue;
  #lastError: string | undefined;
  #retryAtMs: number | undefined;
  #wake = new AbortController();
  #connected = new Deferred<void>();
  #listing: Promise<void> | undefined;
  #isListingStale = false;

  constructor(settings: McpServerSettings, deps: McpDeps) {
    this.settings = settings;
    this.#deps = deps;
    this.#breaker = new CircuitBreaker(deps.clock);
    this.#sampler = samplerOf(settings, deps, () => this.#callers.current);
  }

  /** Begins connecting in the background; again and again until disposed. Calling it twice starts it once. */
  start(onChange: () => void, starter?: SessionScope): void {
    this.#onChange = onChange;
    this.#starter ??= starter;
    this.#running ??= this.#supervise();
  }

  /** Settles when the first attempt has ended, either way. */
  get attempted(): Promise<void> {
    return this.#attempted.promise;
  }

  /** It waits for somebody who may say that it runs without a sandbox. */
  get isUnheard(): boolean {
    return this.#unheld.isUnheard === true;
  }

  /** Asks whoever sits at a session whether it may run without a sandbox, and begins to connect when it may. */
  async hear(scope: SessionScope): Promise<void> {
    this.#hearing ??= this.#hear(scope).finally(() => {
      this.#hearing = undefined;
    });
    await this.#hearing;
  }

  async #hear(scope: SessionScope): Promise<void> {
    const mayRun = await askUnheld(this.settings, scope, this.#stop.signal);
    if (mayRun === undefined) return;
    this.#unheld.mayRun = mayRun;
    this.#unheld.isUnheard = false;
    if (!mayRun) return;
    this.#starter ??= scope;
    if (this.#attempted.isSettled) this.#attempted = new Deferred();
    this.#wake.abort();
  }

  get isConnected(): boolean {
    return this.#session !== undefined;
  }

  /** What it offers now; what it offered last while it is away. */
  get catalogue(): McpCatalogue {
    return this.#catalogue;
  }

  get status(): McpServerStatus {
    return {
      name: this.settings.name,
      transport: this.#session?.transport ?? this.settings.endpoint.kind,
      connected: this.isConnected,
      tools: this.#catalogue.tools.length,
      ...defined({ lastError: this.#lastError, retryAtMs: this.#retryAtMs }),
      ...(this.#sampler === undefined ? {} : { sampling: this.#sampler.metrics }),
    };
  }

  /** Sends a request. A lost session or a renewed login is tried once more; everything else is reported. */
  async ask<T>(
    request: (client: Client, signal: AbortSignal) => Promise<T>,
    context: Pick<ToolContext, "scope" | "signal">,
  ): Promise<McpAnswer<T>> {
    return await this.#callers.run(context, this.settings.timeoutMs, (signal) =>
      this.#ask(request, { signal, stopped: context.signal }),
    );
  }

  async #ask<T>(request: (client: Client, signal: AbortSignal) => Promise<T>, asking: Asking): Promise<McpAnswer<T>> {
    const breaker = this.#breaker.enter();
    if (breaker.kind === "open") return { kind: "refused", waitMs: breaker.waitMs };
    const session = this.#session;
    const first = await this.#askOnce(request, asking);
    if (first.kind !== "lost") return first;
    if (!(await this.#reconnected(session, asking.signal))) {
      return first.why === "login"
        ? { kind: "login-needed" }
        : { kind: "offline", message: this.#lastError ?? "it did not come back" };
    }
    const second = await this.#askOnce(request, asking);
    if (second.kind !== "lost") return second;
    return second.why === "login"
      ? { kind: "login-needed" }
      : { kind: "failed", message: "the server forgot the session again" };
  }

  endSession(sessionKey: string): void {
    if (this.#starter?.key === sessionKey) this.#starter = undefined;
    this.#sampler?.endSession(sessionKey);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the MCP client is closing"));
    await this.#session?.[Symbol.asyncDispose]();
    await this.#running;
  }

  async #askOnce<T>(
    request: (client: Client, signal: AbortSignal) => Promise<T>,
    { signal, stopped }: Asking,
  ): Promise<McpAnswer<T> | { readonly kind: "lost"; readonly why: "session" | "login" }> {
    const session = this.#session;
    if (session === undefined) {
      this.#breaker.failed();
      return { kind: "offline", message: this.#lastError ?? "it is still connecting" };
    }
    try {
      const value = await raceAbort(request(session.client, signal), signal);
      this.#breaker.succeeded();
      return { kind: "answer", value };
    } catch (error) {
      const message = this.#deps.redact(describe(error));
      const kind = failureKind(error, stopped);
      switch (kind) {
        case "aborted":
          this.#breaker.abandoned();
          return { kind: "interrupted" };
        case "unauthorized":
          this.#breaker.abandoned();
          return { kind: "lost", why: "login" };
        case "login-needed":
          this.#breaker.abandoned();
          return { kind: "login-needed" };
        case "session-lost":
          this.#breaker.abandoned();
          return { kind: "lost", why: "session" };
        case "answered":
          this.#breaker.succeeded();
          return { kind: "failed", message };
        case "timeout":
          this.#breaker.failed();
          return { kind: "failed", message: `TimeoutError: ${message}` };
        case "connection":
          this.#breaker.failed();
          return { kind: "failed", message };
      }
    }
  }

  async #supervise(): Promise<void> {
    const signal = this.#stop.signal;
    let failures = 0;
    let hasBeenConnected = false;
    while (!signal.aborted) {
      const outcome = await this.#connectOnce(signal);
      this.#attempted.resolve();
      if (signal.aborted) break;
      if (outcome === "connected") {
        hasBeenConnected = true;
        const sinceMs = this.#deps.clock.now();
        await this.#session?.closed;
        await this.#lost();
        if (this.#deps.clock.now() - sinceMs >= healthyMs) failures = 0;
      }
      failures += 1;
      const isHopeless = outcome === "hopeless" || failures > (hasBeenConnected ? dropRetries : firstRetries);
      await this.#pause(
        isHopeless ? slowProbeMs : backoffMs(failures, { baseMs: 1_000, maxMs: 60_000, jitter: 0 }),
        signal,
      );
    }
  }

  /** `hopeless`: trying again soon would end the same way (no such program, no login, malware). */
  async #connectOnce(signal: AbortSignal): Promise<"connected" | "failed" | "hopeless"> {
    const { settings } = this;
    using limit = deadline(settings.connectTimeoutMs, `no answer within ${settings.connectTimeoutMs / 1000} s`);
    const bounded = linkSignals(signal, limit.signal);
    let session: McpSession | undefined;
    let log: LastWords | undefined;
    try {
      log = new LastWords(this.#deps.openServerLog(settings.name));
      const parts = {
        deps: this.#deps,
        log,
        sampler: this.#sampler,
        caller: () => this.#callers.current,
        starter: () => this.#starter,
        unheld: this.#unheld,
        onListChanged: () => this.#relist(),
      };
      session = await openSession(settings, parts, bounded);
      this.#catalogue = await raceAbort(session.list(bounded), bounded);
      this.#session = session;
      this.#lastError = undefined;
      this.#retryAtMs = undefined;
      // Failures while it was away say nothing about the connection it has now.
      this.#breaker.succeeded();
      this.#connected.resolve();
      this.#deps.logger.info("MCP server connected", { server: settings.name, tools: this.#catalogue.tools.length });
      this.#onChange();
      return "connected";
    } catch (error) {
      await session?.[Symbol.asyncDispose]();
      if (signal.aborted) return "failed";
      const hint = error instanceof UserError && error.hint !== undefined ? ` ${error.hint}` : "";
      this.#lastError = this.#deps.redact(`${describe(error)}${log?.clause ?? ""}${hint}`);
      this.#deps.logger.warn("MCP server did not connect", { server: settings.name, error: this.#lastError });
      return error instanceof UserError || failureKind(error, signal) === "unauthorized" ? "hopeless" : "failed";
    }
  }

  async #lost(): Promise<void> {
    const session = this.#session;
    this.#forgetSession();
    await session?.[Symbol.asyncDispose]();
    if (this.#stop.signal.aborted) return;
    this.#lastError ??= "the connection was lost";
    this.#deps.logger.warn("MCP server disconnected", { server: this.settings.name });
    this.#onChange();
  }

  /** Waits, unless a call wants the server back sooner. */
  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    const wake = this.#wake.signal;
    if (!wake.aborted) {
      this.#retryAtMs = this.#deps.clock.now() + ms;
      await this.#deps.clock.sleep(ms, linkSignals(signal, wake)).catch((error: unknown) => {
        if (!signal.aborted && !wake.aborted) throw error;
      });
    }
    this.#wake = new AbortController();
  }

  /** Ends the connection that failed, unless another call has already replaced it, and waits for the next one. */
  async #reconnected(failed: McpSession | undefined, signal: AbortSignal): Promise<boolean> {
    using limit = deadline(recoverTimeoutMs);
    if (this.#session === failed) {
      this.#wake.abort();
      this.#forgetSession();
      await failed?.[Symbol.asyncDispose]();
    }
    return raceAbort(this.#connected.promise, linkSignals(signal, limit.signal, this.#stop.signal)).then(
      () => true,
      () => false,
    );
  }

  #forgetSession(): void {
    this.#session = undefined;
    // Whoever already waits for the next connection keeps waiting on the same promise.
    if (this.#connected.isSettled) this.#connected = new Deferred();
  }

  /** Lists again; announcements that arrive meanwhile are answered by one more listing, not by one each. */
  #relist(): void {
    this.#isListingStale = true;
    this.#listing ??= this.#listUntilFresh().finally(() => {
      this.#listing = undefined;
    });
  }

  async #listUntilFresh(): Promise<void> {
    while (this.#isListingStale && !this.#stop.signal.aborted) {
      this.#isListingStale = false;
      const session = this.#session;
      if (session === undefined) return;
      try {
        this.#catalogue = await session.list(this.#stop.signal);
        this.#onChange();
      } catch (error) {
        const message = this.#deps.redact(describe(error));
        this.#deps.logger.warn("MCP server announced changes but could not list them", {
          server: this.settings.name,
          error: message,
        });
      }
    }
  }
}

function samplerOf(settings: McpServerSettings, deps: McpDeps, caller: () => Caller | undefined): Sampler | undefined {
  if (!settings.sampling.enabled) return undefined;
  const { clock, logger } = deps;
  return new Sampler(settings, { clock, logger, caller });
}

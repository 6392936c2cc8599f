import { describe } from "#foundation/errors";
import { deadline, raceAbort } from "#foundation/lifecycle/abort";
import { canonicalJson } from "#foundation/text/json";
import type { McpServerSettings } from "../contract/mcp-settings.ts";
import type { SessionScope } from "../contract/session-scope.ts";
import type { ToolRegistry } from "../registry/registry.ts";
import type { McpDeps } from "./deps.ts";
import type { PinChange, PinStore } from "./offered/pins.ts";
import { ServerTools } from "./offered/server-tools.ts";
import { McpServer, type McpServerStatus } from "./server.ts";

const firstListingWaitMs = 5_000;
const closeAllMs = 15_000;

export interface McpServersOptions {
  readonly deps: McpDeps;
  readonly registry: ToolRegistry;
  readonly pins: PinStore;
  /** `mcp.refresh`: when changes of a server become visible. */
  readonly refresh?: "turn" | "session";
}

interface Entry {
  readonly server: McpServer;
  readonly tools: ServerTools;
}

/**
 * All configured servers. Nothing is started before {@link ready} is first called, and nothing changes
 * in the registry except there, in {@link refresh} and in {@link reload}: a turn never sees a tool come or go.
 */
export class McpServers implements AsyncDisposable {
  readonly #options: McpServersOptions;
  readonly #stop = new AbortController();
  #entries = new Map<string, Entry>();
  #changed = new Set<string>();
  #isStarted = false;
  #firstAttempts: Promise<void> = Promise.resolve();

  constructor(settings: readonly McpServerSettings[], options: McpServersOptions) {
    this.#options = options;
    for (const one of settings) this.#add(one);
  }

  /** Starts the servers on the first call and waits a little for them; late ones show at the next turn. */
  async ready(scope: SessionScope, signal: AbortSignal): Promise<void> {
    if (!this.#isStarted) {
      this.#isStarted = true;
      for (const entry of this.#entries.values()) this.#start(entry, scope);
      this.#firstAttempts = attemptsOf([...this.#entries.values()]);
    }
    await raceAbort(this.#firstAttempts, signal);
    await this.#hear(scope);
    await this.#sync(scope);
  }

  /** Whether {@link refresh} would have anything to do. */
  hasNews(moment: "turn" | "session"): boolean {
    if (!this.#isStarted || (moment === "turn" && this.#options.refresh === "session")) return false;
    const isUnheard = ({ tools, server }: Entry): boolean => tools.hasUnheard || server.isUnheard;
    return this.#changed.size > 0 || [...this.#entries.values()].some(isUnheard);
  }

  /** Called between turns (and at the start of a session) to let changes in; whoever sits at that session is asked about them. Returns the names that came and went. */
  async refresh(moment: "turn" | "session", scope: SessionScope): Promise<readonly string[]> {
    if (!this.hasNews(moment)) return [];
    // A question that nobody heard is asked again.
    for (const [name, { tools }] of this.#entries) if (tools.hasUnheard) this.#changed.add(name);
    await this.#hear(scope);
    return this.#sync(scope);
  }

  /** Takes a new configuration: unchanged servers are left alone, the others are closed or opened. */
  async reload(settings: readonly McpServerSettings[], scope: SessionScope, signal: AbortSignal): Promise<void> {
    const wanted = new Map(settings.map((one) => [one.name, one]));
    const gone = [...this.#entries].filter(([name, { server }]) => {
      const next = wanted.get(name);
      return next === undefined || canonicalJson(next) !== canonicalJson(server.settings);
    });
    await Promise.all(gone.map(([name]) => this.#remove(name)));
    const added = settings.filter((one) => !this.#entries.has(one.name));
    for (const one of added) this.#add(one);
    if (!this.#isStarted) return;
    const fresh = added.flatMap((one) => this.#entries.get(one.name) ?? []);
    for (const entry of fresh) this.#start(entry, scope);
    await raceAbort(attemptsOf(fresh), signal);
    await this.#hear(scope);
    await this.#sync(scope);
  }

  /** A session is over: what it allowed servers is forgotten. */
  endSession(sessionKey: string): void {
    for (const { server } of this.#entries.values()) server.endSession(sessionKey);
  }

  get status(): readonly McpServerStatus[] {
    return [...this.#entries.values()].map(({ server }) => server.status);
  }

  /** Tools that are not what they were, with the difference. */
  get pendingChanges(): readonly PinChange[] {
    return [...this.#entries.values()].flatMap(({ tools }) => tools.pending);
  }

  /** The person accepts a changed tool; it is usable from the next refresh on. False when nothing waits under that name. */
  async confirm(server: string, tool: string): Promise<boolean> {
    const isConfirmed = (await this.#entries.get(server)?.tools.confirm(tool)) ?? false;
    if (isConfirmed) this.#changed.add(server);
    return isConfirmed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the MCP client is closing"));
    const closing = Promise.allSettled([...this.#entries.keys()].map((name) => this.#remove(name)));
    using limit = deadline(closeAllMs);
    await raceAbort(closing, limit.signal).catch(() => {
      this.#options.deps.logger.warn("some MCP servers did not close in time");
    });
  }

  #add(settings: McpServerSettings): void {
    if (!settings.enabled) return;
    const server = new McpServer(settings, this.#options.deps);
    this.#entries.set(settings.name, { server, tools: new ServerTools(server, this.#options) });
  }

  #start({ server }: Entry, scope: SessionScope): void {
    server.start(() => void this.#changed.add(server.settings.name), scope);
  }

  /** Servers that nobody was there to allow when they were to start are asked about one after the other, and waited for. */
  async #hear(scope: SessionScope): Promise<void> {
    const unheard = [...this.#entries.values()].filter(({ server }) => server.isUnheard);
    for (const { server } of unheard) await server.hear(scope);
    await attemptsOf(unheard);
  }

  async #remove(name: string): Promise<void> {
    const entry = this.#entries.get(name);
    this.#entries.delete(name);
    entry?.tools[Symbol.dispose]();
    await entry?.server[Symbol.asyncDispose]();
  }

  /** One server whose tools cannot be taken in keeps none of the others out; it is tried again next time. */
  async #sync(scope: SessionScope): Promise<readonly string[]> {
    const names = this.#changed;
    this.#changed = new Set();
    const moved = await Promise.all(
      [...names].map(async (name) => {
        try {
          return (await this.#entries.get(name)?.tools.sync(scope, this.#stop.signal)) ?? [];
        } catch (error) {
          this.#changed.add(name);
          const message = describe(error);
          this.#options.deps.logger.error("tools of an MCP server could not be taken in", {
            server: name,
            error: message,
          });
          return [];
        }
      }),
    );
    return moved.flat();
  }
}

/** Settles when each server has been tried once, but not later than a first listing may take. */
async function attemptsOf(entries: readonly Entry[]): Promise<void> {
  using limit = deadline(firstListingWaitMs);
  const attempts = Promise.all(entries.map(({ server }) => server.attempted));
  await raceAbort(attempts, limit.signal).catch((error: unknown) => {
    if (!limit.signal.aborted) throw error;
  });
}

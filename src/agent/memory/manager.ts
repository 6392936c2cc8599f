import { join } from "node:path";
import { type Message, recallNote } from "#conversation";
import { defined } from "#foundation/defined";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { quietly } from "#foundation/files/quietly";
import { never } from "#foundation/lifecycle/abort";
import { isRecord, parseJson, scrubSurrogates } from "#foundation/text/json";
import { truncateEnd } from "#foundation/text/text";
import type { Clock } from "#foundation/time/clock";
import type { Tool } from "#tools";
import type { TurnMemory } from "../ports.ts";
import { within } from "./bounded.ts";
import type { CallOutcome, MemoryWrite } from "./memory-writes.ts";
import { isMemoryProvider, type MemoryProvider, type ProviderContext } from "./provider.ts";
import { type ProviderToolsDeps, providerTools } from "./provider-tools.ts";
import type { PendingCall } from "./quarantine.ts";
import { SyncQueue, UnsyncedTurns } from "./sync-queue.ts";

export interface MemoryManagerDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Sets a write of a provider's tool aside when the turn has read text of strangers. */
  readonly hold?: ProviderToolsDeps["hold"];
}

export interface ActivationFacts {
  readonly sessionId: string;
  readonly context: ProviderContext;
  /** Names of tools the model knows already. */
  readonly takenToolNames: ReadonlySet<string>;
}

/** All a turn ever waits for its provider: start and recall together. */
const turnWaitMs = 3_000;
const endWaitMs = 5_000;
const carryOutMs = 60_000;

/** What exists only while a provider is in use. */
interface Active {
  readonly provider: MemoryProvider;
  readonly facts: ActivationFacts;
  readonly queue: SyncQueue;
  readonly unsynced: UnsyncedTurns;
  /** Cron and side calls read the memory and leave no trace in it. */
  readonly mayWrite: boolean;
}

/**
 * The memory of a session beside its notes: at most one external provider.
 *
 * 1. Nothing a provider throws leaves this class, and nothing it delays delays a turn by more than three seconds.
 * 2. A turn that was interrupted or has no answer is not told to the provider.
 * 3. Tools and prompt text are read once: the prompt of a session does not change under it.
 */
export class MemoryManager implements AsyncDisposable {
  readonly #deps: MemoryManagerDeps;
  #external: MemoryProvider | undefined;
  #active: Active | undefined;
  #tools: readonly Tool[] = [];
  #promptBlock: string | undefined;
  #turns = 0;
  #started: Promise<unknown> = Promise.resolve();
  #telling: Promise<unknown> = Promise.resolve();
  #replaying: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(deps: MemoryManagerDeps) {
    this.#deps = deps;
  }

  /** False when there is one already, or when this is none. */
  register(provider: unknown): boolean {
    const { logger } = this.#deps;
    if (!isMemoryProvider(provider)) {
      logger.warn("memory provider refused: members are missing or its name is not usable");
      return false;
    }
    if (this.#external !== undefined) {
      logger.warn("memory provider refused: only one can be used", {
        kept: this.#external.name,
        refused: provider.name,
      });
      return false;
    }
    this.#external = provider;
    return true;
  }

  get providerName(): string | undefined {
    return this.#active?.provider.name;
  }

  /** The provider's tools; none before `activate`. */
  get tools(): readonly Tool[] {
    return this.#tools;
  }

  /** The provider's words in the system prompt. */
  get promptBlock(): string | undefined {
    return this.#promptBlock;
  }

  /** Once per session, before its first prompt is built. A child agent has no provider at all. */
  async activate(facts: ActivationFacts, signal: AbortSignal): Promise<void> {
    const provider = this.#external;
    const { clock, logger } = this.#deps;
    if (provider === undefined || facts.context.agentContext === "subagent") return;
    if (!this.#guard("isAvailable", () => provider.isAvailable())) {
      logger.debug("memory provider is not available", { provider: provider.name });
      return;
    }
    const isReady = await this.#attempt("initialize", async () => {
      await provider.initialize(facts.sessionId, facts.context);
      return true;
    }, [turnWaitMs, signal]);
    if (isReady !== true) return;
    const mayWrite = (facts.context.agentContext ?? "primary") === "primary";
    const queue = new SyncQueue({
      clock,
      logger,
      sync: ({ sessionId, user, assistant }, stop) => provider.syncTurn?.(user, assistant, { sessionId, signal: stop }),
    });
    const unsynced = new UnsyncedTurns({ folder: join(facts.context.hermesHome, provider.name), clock });
    this.#active = { provider, facts, queue, unsynced, mayWrite };
    const { hold } = this.#deps;
    const toolDeps = { clock, logger, taken: facts.takenToolNames, ...defined({ hold }) };
    this.#tools = this.#guard("getToolSchemas", () => providerTools(provider, toolDeps)) ?? [];
    this.#promptBlock = this.#guard("systemPromptBlock", () => cleanRecall(provider.systemPromptBlock?.()));
    if (mayWrite && provider.syncTurn !== undefined) this.#replaying = this.#replay(this.#active);
  }

  /** What the loop talks to; the same object for all turns of the session. */
  get turnMemory(): TurnMemory {
    return {
      onTurnStart: (userText) => this.#startTurn(userText),
      recall: (userText, signal) => this.#recall(userText, signal),
      sync: (userText, answer) => this.#sync(userText, answer),
    };
  }

  /** Carries out a call that had waited for the user; undefined when its provider is not in use. */
  async carryOut({ provider: name, tool, args }: PendingCall, signal: AbortSignal): Promise<CallOutcome | undefined> {
    const { provider, facts } = this.#active ?? {};
    if (provider?.name !== name || facts === undefined || provider.handleToolCall === undefined) return undefined;
    try {
      const answer = await within(
        (stop) => provider.handleToolCall?.(tool, args, { sessionId: facts.sessionId, signal: stop }),
        { clock: this.#deps.clock, timeoutMs: carryOutMs, signal },
      );
      const parsed = parseJson(answer ?? "{}");
      const error =
        parsed.ok && isRecord(parsed.value) && parsed.value["success"] === false ? parsed.value["error"] : "";
      return error === "" ? { kind: "called" } : { kind: "call-failed", reason: String(error) };
    } catch (error) {
      return { kind: "call-failed", reason: describe(error) };
    }
  }

  /** After a note was written. */
  memoryWritten(write: MemoryWrite): void {
    const { action, target, content, metadata } = write;
    this.#tell("onMemoryWrite", ({ provider }) => provider.onMemoryWrite?.(action, target, content, metadata));
  }

  /** After a child agent has finished, on its parent. */
  delegated(task: string, result: string, child: { readonly childSessionId: string }): void {
    this.#tell("onDelegation", ({ provider }) => provider.onDelegation?.(task, result, child));
  }

  /** What the summariser should know before the history is compressed. */
  async beforeCompression(messages: readonly Message[], signal: AbortSignal): Promise<string | undefined> {
    const active = this.#active;
    if (active?.provider.onPreCompress === undefined) return undefined;
    const work = () => active.provider.onPreCompress?.(messages);
    return cleanRecall(await this.#attempt("onPreCompress", work, [turnWaitMs, signal]));
  }

  /** At a real end of the session, or when it is split by compression. */
  async sessionEnded(messages: readonly Message[], signal: AbortSignal): Promise<void> {
    const active = this.#active;
    if (active?.mayWrite !== true) return;
    await this.#attempt("onSessionEnd", () => active.provider.onSessionEnd?.(messages), [endWaitMs, signal]);
  }

  /** Five seconds for what is still to be synced; the rest is kept for the next start. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const active = this.#active;
    if (active === undefined) return;
    this.#active = undefined;
    const { logger } = this.#deps;
    await this.#replaying;
    const telling = this.#attempt("last calls", () => this.#telling, [endWaitMs, never]);
    await Promise.all([active.queue.close(endWaitMs), telling]);
    await quietly("keeping turns that were not synced", () => active.unsynced.keep(active.queue.open, never), {
      logger,
    });
    await this.#attempt("shutdown", () => active.provider.shutdown?.(), [endWaitMs, never]);
  }

  /** Beside the first turn, which does not wait for it; it ends by itself, because the lock on the file is given up on. */
  async #replay({ queue, unsynced }: Active): Promise<void> {
    const replay = async () => {
      for (const turn of await unsynced.take(never)) queue.push(turn);
    };
    await quietly("replaying turns of the last run", replay, this.#deps);
  }

  #startTurn(userText: string): void {
    const active = this.#active;
    if (active === undefined) return;
    this.#turns += 1;
    const { provider, facts } = active;
    const turn = this.#turns;
    this.#started = this.#attempt(
      "onTurnStart",
      (signal) => provider.onTurnStart?.(turn, userText, { sessionId: facts.sessionId, signal }),
      [turnWaitMs, never],
    );
  }

  async #recall(userText: string, signal: AbortSignal): Promise<string | undefined> {
    const active = this.#active;
    if (active?.provider.prefetch === undefined || userText.trim() === "") return undefined;
    const { provider, facts } = active;
    const started = this.#started;
    const recalled = await this.#attempt(
      "prefetch",
      async (stop) => {
        await started;
        return await provider.prefetch?.(userText, { sessionId: facts.sessionId, signal: stop });
      },
      [turnWaitMs, signal],
    );
    return cleanRecall(recalled);
  }

  #sync(user: string, assistant: string): void {
    const active = this.#active;
    if (active?.mayWrite !== true || assistant.trim() === "") return;
    const { sessionId } = active.facts;
    if (active.provider.syncTurn !== undefined) active.queue.push({ sessionId, user, assistant });
    this.#tell("queuePrefetch", ({ provider }, signal) => provider.queuePrefetch?.(user, { sessionId, signal }));
  }

  /** Tells the provider something nobody waits for; one thing after the other, so that it hears them in order. */
  #tell(what: string, work: (active: Active, signal: AbortSignal) => void | Promise<void>): void {
    const active = this.#active;
    if (active?.mayWrite !== true) return;
    this.#telling = this.#telling.then(() => this.#attempt(what, (signal) => work(active, signal), [endWaitMs, never]));
  }

  #guard<T>(what: string, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.#deps.logger.warn("memory provider failed", { call: what, reason: describe(error) });
      return undefined;
    }
  }

  /** A failure, or no answer in time, is a line in the log and `undefined`. Only the outer signal still rejects. */
  #attempt<T>(
    what: string,
    work: (signal: AbortSignal) => T | Promise<T>,
    [timeoutMs, signal]: readonly [number, AbortSignal],
  ): Promise<T | undefined> {
    const { clock, logger } = this.#deps;
    const run = () => within(work, { clock, timeoutMs, signal });
    return quietly("memory provider", run, { logger, signal, fields: { call: what } });
  }
}

const maxChars = 16_000;
const fence = /<\s*\/?\s*memory-context\b[^<>]*>/gi;

/**
 * What a provider recalled, fit to stand inside the fence of a request: without fences of its own, well-formed and
 * bounded. Undefined when nothing is left.
 */
function cleanRecall(input: unknown): string | undefined {
  if (typeof input !== "string") return undefined;
  let text = scrubSurrogates(truncateEnd(input, maxChars)).replaceAll(recallNote, "");
  // Removing one fence may put the halves of another together.
  for (let next = text.replace(fence, ""); next !== text; next = text.replace(fence, "")) text = next;
  const trimmed = text.trim();
  return trimmed === "" ? undefined : trimmed;
}

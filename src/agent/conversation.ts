import {
  addCost,
  addUsage,
  type Cost,
  type Message,
  type SessionId,
  type Usage,
  untrustedIn,
  zeroUsage,
} from "#conversation";
import { beginTurn, type FallbackEntry, type FallbackState, openFallback, type Target } from "#model";
import { TodoList } from "#tools";
import { openTasksIn } from "./summary-message.ts";
import { ContextMeter } from "./turn/request/meter.ts";
import { modelKey, SentMessages } from "./turn/request/sent-messages.ts";

export interface ConversationInit {
  readonly sessionId: SessionId;
  /** The first part of a session that compression split; the same as `sessionId` otherwise. */
  readonly rootSessionId?: SessionId;
  readonly history: readonly Message[];
  readonly target: Target;
  readonly fallbackChain?: readonly FallbackEntry[];
  readonly usage?: Usage;
  readonly cost?: Cost;
  /** Words of strangers that whoever started this conversation had in its context. */
  readonly inheritedUntrusted?: string | undefined;
}

/** What an agent holds of one session between its turns. */
export class Conversation {
  readonly rootSessionId: SessionId;
  readonly meter = new ContextMeter();
  readonly todos = new TodoList();
  readonly sent = new SentMessages();
  sessionId: SessionId;
  history: readonly Message[];
  /** The model the user chose. */
  primary: Target;
  /** The model in use: the primary, or an entry of the fallback chain. */
  target: Target;
  fallback: FallbackState;
  usage: Usage;
  cost: Cost | undefined;
  readonly #inheritedUntrusted: string | undefined;
  #notedUntrusted: string | undefined;
  lastPromptTokens = 0;
  compressionCount = 0;

  constructor(init: ConversationInit) {
    this.sessionId = init.sessionId;
    this.rootSessionId = init.rootSessionId ?? init.sessionId;
    this.history = init.history;
    this.primary = init.target;
    this.target = init.target;
    this.fallback = openFallback(init.fallbackChain ?? []);
    this.usage = init.usage ?? zeroUsage;
    this.cost = init.cost;
    this.#inheritedUntrusted = init.inheritedUntrusted;
    this.#restoreTodos();
    this.#restoreMeter();
  }

  /** A reply of this target, with what has to be known about it once the session is taken up again. */
  mark(target: Target, message: Message): Message {
    if (message.role !== "assistant") return message;
    return { ...message, origin: { by: modelKey(target), ...this.meter.state } };
  }

  /** Where words of strangers in the context came from; undefined when all of it is the person's, or made from that. */
  get untrusted(): string | undefined {
    return untrustedIn(this.history) ?? this.#notedUntrusted ?? this.#inheritedUntrusted;
  }

  /** The running turn has read words of strangers; its messages say so once it has ended. */
  noteUntrusted(source: string): void {
    this.#notedUntrusted ??= source;
  }

  /** A new user message: back to the primary model, unless that is known to be closed still. */
  beginTurn(nowMs: number): void {
    this.#notedUntrusted = undefined;
    this.fallback = beginTurn(this.fallback, nowMs);
    if (this.fallback.active !== undefined) return;
    if (this.target !== this.primary) this.meter.forget();
    this.target = this.primary;
  }

  /** The user chose another model. */
  choose(target: Target): void {
    this.primary = target;
    this.target = target;
    this.fallback = openFallback(this.fallback.chain);
    this.meter.forget();
  }

  /** Something was learned about a target in use (a window, a credential, a field it refuses): kept from now on. */
  adjust(from: Target, to: Target): void {
    if (this.primary === from) this.primary = to;
    if (this.target === from) this.target = to;
  }

  /** The history is replaced from outside. */
  restart(history: readonly Message[]): void {
    this.history = history;
    this.meter.forget();
    if (this.todos.items.length === 0) this.#restoreTodos();
  }

  count(usage: Usage, cost: Cost): void {
    this.usage = addUsage(this.usage, usage);
    this.cost = this.cost === undefined ? cost : addCost(this.cost, cost);
  }

  get userTurns(): number {
    return this.history.filter((message) => message.role === "user").length;
  }

  #restoreMeter(): void {
    const last = this.history.findLast((message) => message.role === "assistant" && message.origin !== undefined);
    const origin = last?.role === "assistant" ? last.origin : undefined;
    if (origin === undefined) return;
    this.meter.restore(origin, origin.by === modelKey(this.target));
    this.lastPromptTokens = origin.counted?.tokens ?? 0;
  }

  /** A resumed session continues with the list its last `todo` call left. */
  #restoreTodos(): void {
    if (this.todos.restore(this.history)) return;
    // Compression took the call away; what was still open stands in its summary.
    this.todos.load(openTasksIn(this.history));
  }
}

import type { UserMessage } from "#conversation";
import { quietly } from "#foundation/files/quietly";
import { deadline } from "#foundation/lifecycle/abort";
import type { Target } from "#model";
import type { TitleOutcome } from "#store";
import type { OpenOptions } from "../api.ts";
import { noteFolder } from "../search/session-folder.ts";
import type { BackgroundWork } from "./background-work.ts";
import { type Conversation, type ConversationDeps, openConversation } from "./conversation.ts";
import type { Turns } from "./turns.ts";

export interface CurrentConversationDeps extends ConversationDeps {
  readonly options: OpenOptions;
  readonly turns: Pick<Turns, "replace" | "takeOver">;
  readonly work: Pick<BackgroundWork, "start">;
  /** The session is being closed. */
  readonly signal: AbortSignal;
}

const flushMs = 30_000;
const endMs = 30_000;

/** The conversation a session is in. `/new` puts another in its place; surfaces learn of it by `session-changed`. */
export class CurrentConversation {
  readonly #deps: CurrentConversationDeps;
  #now: Conversation | undefined;
  #firstTarget: Pick<Target, "model" | "provider"> | undefined;

  constructor(deps: CurrentConversationDeps) {
    this.#deps = deps;
  }

  get isOpen(): boolean {
    return this.#now !== undefined;
  }

  get now(): Conversation {
    if (this.#now === undefined) throw new Error("The session is not open.");
    return this.#now;
  }

  async open(options: OpenOptions = this.#deps.options): Promise<void> {
    const conversation = await openConversation(this.#deps, options, this.#deps.signal);
    this.#now = conversation;
    this.#firstTarget ??= conversation.agent.conversation.primary;
    this.#deps.turns.takeOver(conversation.left, options.isInteractive);
  }

  /**
   * Ends this conversation and begins an empty one in its place. A chat does not wait for the model to look through the
   * old one: that goes on beside the new one.
   */
  async startNew(reason: string): Promise<void> {
    await this.#deps.turns.replace(async () => {
      const old = this.now;
      const isInChat = this.#deps.options.chat !== undefined;
      if (!isInChat) await this.#keepMemories(old, "reset");
      await this.#finalize(old);
      // Only when the new one is there is the old one given up.
      await this.open({ ...freshOptions(this.#deps.options), ...this.#chosenModel() });
      await this.#noteFolder();
      const stopped = old.services.processes.list().flatMap((one) => (one.state === "running" ? [one.command] : []));
      if (isInChat) this.#deps.work.start("ending a conversation", () => this.#endLater(old, reason));
      else await this.#end(old, reason);
      if (stopped.length > 0)
        this.#deps.events.emit({ type: "notice", level: "info", text: `Stopped with it: ${stopped.join(", ")}` });
      await this.#tellPlugins("on_session_reset", this.now);
    });
    this.#deps.onChange();
  }

  async #endLater(old: Conversation, reason: string): Promise<void> {
    await this.#keepMemories(old, "reset");
    await this.#end(old, reason);
  }

  /** The chat goes on in another conversation: this one has an end until it is resumed. */
  async leave(reason: string): Promise<void> {
    const old = this.now;
    await this.#finalize(old);
    await this.#markEnded(old, reason);
    this.#deps.work.start("keeping memories", () => this.#keepMemories(old, "resume"));
  }

  /** The new conversation belongs to the folder of the one before: `-c` there goes on with it. */
  async #noteFolder(): Promise<void> {
    const { options, session } = this.#deps;
    const { cwd: folder, isInteractive } = options;
    const location = { folder, isOneShot: !isInteractive };
    await quietly("noting the folder", () => noteFolder(session.store, this.now.rootId, location), session);
  }

  /** Takes the last message of the person and everything after it back; gives that message. */
  async dropLastExchange(): Promise<UserMessage | undefined> {
    const { agent, transcript, services } = this.now;
    const { conversation } = agent;
    const at = conversation.history.findLastIndex((message) => message.role === "user");
    const last = conversation.history[at];
    if (last?.role !== "user") return undefined;
    await transcript.flush();
    if (last.uid !== undefined) await this.#deps.session.store.messages.removeFrom(transcript.sessionId, last.uid);
    conversation.history = conversation.history.slice(0, at);
    conversation.meter.forget();
    services.checkpoints.takenBack();
    this.#deps.onChange();
    return last;
  }

  async setTitle(title: string): Promise<{ readonly outcome: TitleOutcome; readonly isPending: boolean }> {
    const { transcript, title: holder } = this.now;
    const outcome = await holder.set(title, { id: transcript.sessionId, hasRow: transcript.hasRow });
    this.#deps.onChange();
    return { outcome, isPending: holder.isPending };
  }

  /** The session is over; without a reason the conversation goes on another day. */
  async close(reason: string | undefined): Promise<void> {
    if (this.#now === undefined) return;
    await this.#keepMemories(this.#now, "exit");
    await this.#finalize(this.#now);
    await this.#end(this.#now, reason);
  }

  /** Nobody needs it now. Nothing is lost by that: everything is stored, and it is opened again when it is needed. */
  async putAway(): Promise<void> {
    if (this.#now !== undefined) await this.#end(this.#now, undefined);
  }

  /** Memory and plugins hear of the end while everything is still there; a provider is closed before a new one may begin. */
  async #finalize(conversation: Conversation): Promise<void> {
    using limit = deadline(endMs);
    const { logger } = this.#deps.session;
    await quietly("ending memory", () => conversation.services.memory.end(limit.signal), { logger });
    await this.#tellPlugins("on_session_finalize", conversation);
  }

  async #tellPlugins(
    event: "on_session_finalize" | "on_session_reset",
    { rootId: key, transcript: { sessionId } }: Conversation,
  ): Promise<void> {
    const { session, options } = this.#deps;
    const { source } = options;
    await quietly("telling plugins", () => session.notifyPlugins(event, { key, sessionId, source }), {
      logger: session.logger,
      fields: { event },
    });
  }

  async #end(conversation: Conversation, reason: string | undefined): Promise<void> {
    if (reason !== undefined) await this.#markEnded(conversation, reason);
    await conversation[Symbol.asyncDispose]();
  }

  async #markEnded({ transcript }: Conversation, reason: string): Promise<void> {
    const { store, logger } = this.#deps.session;
    if (!transcript.hasRow) return;
    await quietly("marking a session as ended", () => store.sessions.end(transcript.sessionId, reason), {
      logger,
      level: "error",
    });
  }

  /** A model the person chose here stays chosen. */
  #chosenModel(): Pick<OpenOptions, "model" | "provider"> {
    const { primary } = this.now.agent.conversation;
    const first = this.#firstTarget;
    if (first === undefined || (first.model === primary.model && first.provider === primary.provider)) return {};
    return { model: primary.model, provider: primary.provider };
  }

  /** One bounded chance to keep what is worth keeping; failing it stops nobody. */
  async #keepMemories({ agent, services }: Conversation, reason: "reset" | "exit" | "resume"): Promise<void> {
    if (agent.conversation.history.length === 0) return;
    using limit = deadline(flushMs);
    const { logger } = this.#deps.session;
    await quietly("keeping memories", () => services.memory.flush(reason, limit.signal), {
      logger,
      fields: { reason },
    });
  }
}

/** The same surface and choices, for a conversation that begins now. */
export function freshOptions(options: OpenOptions): OpenOptions {
  const { resume: _resume, title: _title, history: _history, ...rest } = options;
  return rest;
}

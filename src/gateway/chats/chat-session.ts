import { type SessionId, type TurnId, textOf } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import { quietly } from "#foundation/files/quietly";
import type { Clock } from "#foundation/time/clock";
import type {
  Alongside,
  BorrowOptions,
  OpenSession,
  SessionEvent,
  SessionService,
  Submission,
  UserInput,
  Written,
} from "#session";
import type { Aggregates, GatewayTurn, Store } from "#store";
import { personKey } from "../access/authorize.ts";
import type { Users } from "../access/users.ts";
import type { Replies } from "../delivery/replies.ts";
import type { LiveSettings } from "../live/live-settings.ts";
import { withReasoning } from "../live/live-text.ts";
import type { InboundMessage, MessageSource } from "../platform/inbound.ts";
import { readCommandLine } from "../routing/command-line.ts";
import { mirrored, mirrorText } from "../targets/mirror.ts";
import { isSpoken } from "../voice/spoken-answers.ts";

export interface ChatSessionDeps {
  readonly store: Store;
  readonly sessions: Pick<SessionService, "borrow">;
  readonly replies: Replies;
  readonly users: Pick<Users, "isOwner">;
  readonly sessionKey: string;
  /** The fence of the chat's lease. */
  fence(): number;
  /** Another program served the chat since this one did. */
  isOvertaken(): boolean;
  /** What chats see of this message's turn. */
  liveSettings(message: InboundMessage): Pick<LiveSettings, "streams" | "interimTexts" | "showReasoning">;
  /** The message that shows the beginning of the answer already, which is owed now. */
  takeLiveMessage(): string | undefined;
  /** What its sessions begin with. */
  skills(source: MessageSource): readonly string[];
  /** What the session is told about the chat when it begins. */
  context(message: InboundMessage): Promise<string>;
  onEvent(event: SessionEvent): void;
  /** Something was done beside the conversation, after the turn of this message. */
  onAside(text: string, message: InboundMessage): void;
  /** Who does the turns, where that is not this process. */
  readonly remote?: BorrowOptions["remote"];
  /** The folder sessions work in. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The session of a chat, and what the gateway writes with its messages:
 *
 * 1. A turn is on record from the transaction that stores the person's words to the one that stores the last answer,
 *    so that one which a crash cut off is found and goes on.
 * 2. The answer is owed to the chat in the transaction that stores it.
 */
export class ChatSession implements AsyncDisposable {
  readonly #deps: ChatSessionDeps;
  readonly #rows = new Map<number, InboundMessage>();
  #session: OpenSession | undefined;
  #newest: InboundMessage | undefined;
  #turn: { readonly id: TurnId; readonly message: InboundMessage } | undefined;
  #continued: GatewayTurn | undefined;
  #liveStep = "";
  /** What was written into the chat from elsewhere and the session has been told. */
  readonly #told = new Set<string>();
  #answered: TurnId | undefined;
  #isBroken = false;

  constructor(deps: ChatSessionDeps) {
    this.#deps = deps;
  }

  get open(): OpenSession | undefined {
    return this.#session;
  }

  /** The message whose turn runs, or the last that came. */
  get current(): InboundMessage | undefined {
    return this.#turn?.message ?? this.#newest;
  }

  /** The turn that runs has given its answer already; it only ends. */
  get isAnswered(): boolean {
    return this.#turn !== undefined && this.#turn.id === this.#answered;
  }

  /** A session that another program took over meanwhile is borrowed anew: it goes on from what is stored. */
  async submit(
    message: InboundMessage,
    inboxIds: readonly number[],
    words: Pick<UserInput, "text" | "sent" | "images" | "untrusted" | "isPlain">,
  ): Promise<Submission> {
    this.#newest = message;
    for (const id of inboxIds) this.#rows.set(id, message);
    const input = { ...words, sent: await this.#withMirrored(words), admission: { inboxIds } };
    const session = await this.#borrow(message);
    const submission = await session.submit(input);
    if (submission.kind !== "refused" || submission.isLost !== true) return submission;
    this.#session = undefined;
    await session[Symbol.asyncDispose]();
    return await (await this.#borrow(message)).submit(input);
  }

  /** Programs that were started in it still run: it is not over, however long nobody wrote. */
  async hasProcesses(message: InboundMessage): Promise<boolean> {
    return ((await this.#borrow(message)).info.processes ?? []).length > 0;
  }

  /** Where a command leads to another conversation, the chat is in that one from now on, for every program. */
  async following<T>(message: InboundMessage, command: () => Promise<T>): Promise<T> {
    const before = (await this.#borrow(message)).info.id;
    const result = await command();
    const { store, sessionKey } = this.#deps;
    const now = this.#session?.info.id;
    if (now === undefined || now === before) return result;
    // One that was just begun is stored, and found, with its first message.
    if ((await store.sessions.get(now)) === undefined) await store.routes.remove(sessionKey);
    else await this.#route(store, now, message);
    return result;
  }

  /** Goes on in another conversation. Gives its name. */
  async switchTo(id: SessionId, message: InboundMessage): Promise<string> {
    const { store } = this.#deps;
    await this.#route(store, id, message);
    const before = this.#session;
    this.#session = undefined;
    await before?.[Symbol.asyncDispose]();
    // What is open of the one before is not lent to this chat again.
    await this.#borrow(message, true);
    return (await store.sessions.get(id))?.title ?? id;
  }

  /** With what Hermes wrote into the chat from other conversations meanwhile. */
  async #withMirrored({ text, sent }: Pick<UserInput, "text" | "sent">): Promise<string | undefined> {
    if (readCommandLine(text) !== undefined) return sent;
    const { store, sessionKey } = this.#deps;
    const notes = mirrored(await store.routes.get(sessionKey)).filter(({ key }) => !this.#told.has(key));
    for (const { key } of notes) this.#told.add(key);
    return notes.length === 0 ? sent : `${mirrorText(notes)}\n\n${sent ?? text}`;
  }

  /** Goes on with a turn that a crash cut off; undefined when there is nothing to go on with. */
  async continueTurn(turn: GatewayTurn, message: InboundMessage): Promise<Submission | undefined> {
    this.#newest = message;
    this.#continued = turn;
    return (await this.#borrow(message)).continueTurn();
  }

  /** The turn waits for an answer; a crash now loses the question. */
  async noteAsk(askId: string): Promise<void> {
    if (this.#turn === undefined) return;
    const step = `${this.#liveStep}ask:${askId}`;
    await this.#deps.store.gatewayTurns.progress(this.#turn.id, { step, status: "awaiting" });
  }

  /** The answer grows in this message; after a crash it becomes the answer. */
  async noteLiveMessage(messageId: string): Promise<void> {
    this.#liveStep = `live:${messageId};`;
    if (this.#turn === undefined) return;
    await this.#deps.store.gatewayTurns.progress(this.#turn.id, { step: this.#liveStep });
  }

  /** The message in which a turn that was cut off had begun its answer. */
  get continuedLiveMessage(): string | undefined {
    return /live:([^;]+)/u.exec(this.#continued?.step ?? "")?.[1];
  }

  /** Leaves the turn that runs as a crash would: whoever serves the chat next goes on with it. */
  breakOff(): void {
    this.#isBroken = true;
    this.#session?.breakOff();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session?.[Symbol.asyncDispose]();
  }

  async #borrow(message: InboundMessage, isAnother = false): Promise<OpenSession> {
    if (this.#session !== undefined) return this.#session;
    const { store, sessions, sessionKey, cwd, users } = this.#deps;
    const route = await store.routes.get(sessionKey);
    const session = await sessions.borrow({
      key: sessionKey,
      resume: route?.sessionId,
      source: message.source.platform,
      userId: personKey(message.source),
      chat: chatOf(sessionKey, message.source),
      isOwner: users.isOwner(message.source),
      skills: [...new Set([...this.#deps.skills(message.source), ...(message.skills ?? [])])],
      systemMessage: await this.#deps.context(message),
      remote: this.#deps.remote,
      cwd,
      isInteractive: true,
      followsSettings: true,
      isFenced: true,
      isOvertaken: isAnother || this.#deps.isOvertaken(),
      alongside: this.#alongside,
      onAside: (text) => this.#newest !== undefined && this.#deps.onAside(text, this.#newest),
    });
    session.subscribe((event) => this.#heard(event));
    this.#session = session;
    return session;
  }

  #heard(event: SessionEvent): void {
    if (this.#isBroken) return;
    this.#deps.onEvent(event);
    if (event.type !== "turn-end" || this.#turn === undefined) return;
    const { store, logger } = this.#deps;
    const { id } = this.#turn;
    const status = event.error === undefined ? "done" : "failed";
    void quietly("noting the end of a turn", () => store.gatewayTurns.finish(id, status), { logger, level: "error" });
    this.#turn = undefined;
    this.#continued = undefined;
    this.#liveStep = "";
  }

  readonly #alongside: Alongside = async (tx, written) => {
    const message = await this.#note(tx, written);
    if (message === undefined) return;
    await this.#route(tx, written.sessionId, message);
    const { replies, sessionKey } = this.#deps;
    const { streams, interimTexts, showReasoning } = this.#deps.liveSettings(message);
    const last = written.messages.at(-1);
    const key = `${written.turnId}:${last?.uid ?? ""}`;
    if (!written.isFinal) {
      if (interimTexts && !streams && last?.role === "assistant")
        await tx.outbox.owe(replies.notice(textOf(last.content), { message, sessionKey, key }));
      return await tx.gatewayTurns.progress(written.turnId, { status: "running" });
    }
    await tx.gatewayTurns.finish(written.turnId, "done");
    this.#answered = written.turnId;
    if (last?.role !== "assistant" || last.finish_reason === "interrupted") return;
    const answer = textOf(last.content);
    const text = showReasoning && (last.reasoning ?? "") !== "" ? withReasoning(last.reasoning ?? "", answer) : answer;
    const liveMessageId = this.#deps.takeLiveMessage();
    await tx.outbox.owe(replies.answer(text, { message, sessionKey, key, liveMessageId }));
    if (await isSpoken(tx, message, written.sessionId))
      await tx.outbox.owe(replies.speech(answer, { message, sessionKey, key }));
  };

  /** Puts the turn on record with its first message. Gives the message that it answers. */
  async #note(tx: Pick<Aggregates, "gatewayTurns">, written: Written): Promise<InboundMessage | undefined> {
    const { turnId, sessionId, inboxIds } = written;
    if (this.#turn?.id !== turnId) {
      const newest = inboxIds.map((id) => this.#rows.get(id)).findLast((message) => message !== undefined);
      const message = newest ?? this.#newest;
      if (message === undefined) return undefined;
      this.#turn = { id: turnId, message };
    }
    const { message } = this.#turn;
    if ((await tx.gatewayTurns.get(turnId)) !== undefined) return message;
    const nowMs = this.#deps.clock.now();
    const before = this.#continued;
    if (before !== undefined) await tx.gatewayTurns.finish(before.id, "abandoned");
    await tx.gatewayTurns.start({
      id: turnId,
      sessionKey: this.#deps.sessionKey,
      sessionId,
      inboxIds: inboxIds.length > 0 ? inboxIds : (before?.inboxIds ?? []),
      fence: this.#deps.fence(),
      status: "running",
      step: before?.step ?? "",
      startedAtMs: nowMs,
      heartbeatAtMs: nowMs,
      attempts: before?.attempts ?? 0,
    });
    for (const id of inboxIds) this.#rows.delete(id);
    return message;
  }

  async #route(tx: Pick<Aggregates, "routes">, sessionId: SessionId, { source }: InboundMessage): Promise<void> {
    const { sessionKey, clock } = this.#deps;
    const known = await tx.routes.get(sessionKey);
    const nowMs = clock.now();
    const { platform, account, chatType, chatId, threadId, userId, chatName, userName } = source;
    await tx.routes.put({
      sessionKey,
      sessionId,
      platform,
      chatType,
      chatId,
      threadId,
      userId,
      createdAtMs: known?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
      details: {
        ...known?.details,
        account,
        name: chatName ?? userName ?? chatId,
        mirrored: mirrored(known).filter(({ key }) => !this.#told.has(key)),
      },
    });
  }
}

/** What others may know of the chat that a session is held in. */
function chatOf(key: string, source: MessageSource): BorrowOptions["chat"] {
  const { chatId: id, chatType: type, chatName: name, threadId, userId, userName } = source;
  return { key, id, type, name, threadId, userId, userName };
}

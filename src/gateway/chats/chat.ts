import type { TurnResult } from "#conversation";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { quietly } from "#foundation/files/quietly";
import { Deferred } from "#foundation/lifecycle/deferred";
import type { Clock } from "#foundation/time/clock";
import {
  type BorrowOptions,
  type ResetPolicy,
  resetDue,
  type SessionService,
  type Submission,
  viewText,
} from "#session";
import { type InboxEntry, type Store, takeLease } from "#store";
import type { Users } from "../access/users.ts";
import { ChatAsks } from "../asks/chat-asks.ts";
import { chatLease } from "../crashes/blame.ts";
import type { Outlet } from "../delivery/outlet.ts";
import type { Replies } from "../delivery/replies.ts";
import type { TallyPort } from "../figures/tally.ts";
import type { LiveSettings } from "../live/live-settings.ts";
import type { Enriched } from "../media/incoming.ts";
import type { InboundMessage, MessageSource } from "../platform/inbound.ts";
import type { Platform } from "../platform/platform.ts";
import { readCommandLine } from "../routing/command-line.ts";
import { isShared, type KeyRules } from "../routing/session-key.ts";
import { Beginning } from "./beginning.ts";
import { ChatEvents } from "./chat-events.ts";
import { ChatHooks } from "./chat-hooks.ts";
import { ChatSession } from "./chat-session.ts";
import { sessionContext } from "./context/session-context.ts";
import { hasExpired, isExpiry, nobodys } from "./expiry.ts";
import type { GatewayCommandDeps } from "./gateway-commands.ts";
import type { InactivitySettings } from "./inactivity.ts";
import { bringsPictures, isInternal, readAnswer } from "./read-inbound.ts";
import { recoverChat, withoutSpent } from "./recovery.ts";
import { joined, type RowGroup } from "./row-groups.ts";
import { type Dispatched, nameOf, rowKey, Triage } from "./triage.ts";
import { TurnDisplay } from "./turn-display.ts";

export interface ChatDeps {
  readonly store: Store;
  readonly sessions: Pick<SessionService, "borrow">;
  readonly users: Pick<Users, "access" | "isAdmin" | "isOwner" | "meetStranger">;
  readonly replies: Replies;
  platform(id: string): Platform | undefined;
  /** The way out to an account, where this process has its connection. */
  outlet(platform: string, account: string): Outlet | undefined;
  liveSettings(platform: Platform): LiveSettings;
  /** What came with a message is fetched and put into words. */
  enrich(message: InboundMessage, signal: AbortSignal): Promise<Enriched>;
  /** What words do while a turn runs. */
  busyMode(): "interrupt" | "queue" | "steer";
  /** How soon after its begin words leave a turn alone, and are the next input. */
  followupGraceMs?(platform: string): number;
  /** When a conversation from this source starts over, and whether the chat is told. */
  resetPolicy(source: MessageSource): ResetPolicy & { readonly tells: boolean };
  readonly commands: GatewayCommandDeps;
  inactivity(): InactivitySettings;
  /** Tells the hooks of the home; nobody waits for them. */
  fire(event: string, context: Readonly<Record<string, unknown>>): void;
  /** Tells them of a command and waits for what they decide. */
  decide(event: string, context: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** Asks the plugins about a message before anything else is done with it. */
  dispatch(sessionKey: string, message: InboundMessage): Promise<Dispatched>;
  /** What the model is told once, with the first messages ever. */
  firstContact(message: InboundMessage): Promise<string>;
  /** Which platforms there are and where results can go. */
  surroundings(): Promise<string>;
  /** Models see hashes in place of ids. */
  hidesIds(): boolean;
  /** The skills that sessions of this chat begin with. */
  skills(source: MessageSource): readonly string[];
  keyRules(): KeyRules;
  /** Whether this person may have one more chat served now. */
  takesSeat(person: string): boolean;
  /** Counts turns and lost leases of this process. */
  readonly tally?: TallyPort;
  /** Names this program in leases. */
  readonly owner: string;
  /** A Hermes elsewhere that does the turns; this process does them when absent. */
  readonly remote?: BorrowOptions["remote"];
  /** The folder sessions work in. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

const rowsAtOnce = 50;
const acknowledgeEveryMs = 30_000;
/** So often in a row may words stop a turn that answers words which stopped one; more of them wait. */
const mostStops = 3;
const earlierHead = "[Said here before, by others:]";
const emptyText = "The model gave no answer. Ask again, or try another model with /model.";
const drainText = "I am restarting. What I am working on continues; new messages are answered afterwards.";
/** How long a turn that is broken off may take to stop. */
const leavingMs = 5_000;
/** When a message is tried again while another program works in the session. */
const busyRetryMs = 3_000;

/**
 * One conversation while something happens in it. Serves the rows of its inbox in order, alone among all programs on
 * the store, and leaves when nothing waits and no turn runs; its session stays warm for the next time.
 *
 * 1. What a person wrote leaves the inbox in the transaction that stores the message.
 * 2. A command is over with before it runs, so that no crash runs it twice.
 */
export class Chat {
  readonly #deps: ChatDeps;
  readonly #key: string;
  readonly #inHand = new Set<number>();
  readonly #asks: ChatAsks;
  readonly #session: ChatSession;
  readonly #display: TurnDisplay;
  readonly #hooks: ChatHooks;
  readonly #triage: Triage;
  readonly #events: ChatEvents;
  readonly #beginning: Beginning;
  /** The fence of the last time this process served the chat. */
  readonly #lastFence: number | undefined;
  #signal: AbortSignal = AbortSignal.abort();
  #isLeft = false;
  #isUnfinished = false;
  #isElsewhere = false;
  #isPutOff = false;
  #hasSeat = false;
  #acknowledgedAtMs = 0;
  #fence = 0;
  #running = 0;
  #stops = 0;
  #turnBeganAtMs = 0;
  #poke = new Deferred<void>();

  constructor(sessionKey: string, deps: ChatDeps, lastFence?: number) {
    this.#key = sessionKey;
    this.#deps = deps;
    this.#lastFence = lastFence;
    this.#asks = new ChatAsks({ store: deps.store, sessionKey });
    this.#session = new ChatSession({
      ...deps,
      sessionKey,
      fence: () => this.#fence,
      isOvertaken: () => this.#lastFence !== undefined && this.#fence !== this.#lastFence + 1,
      liveSettings: ({ source }) => this.#liveSettings(source.platform),
      takeLiveMessage: () => this.#display.take(),
      context: (message) => this.#context(message),
      onEvent: (event) => this.#events.heard(event),
      onAside: (text, message) => this.#events.aside(text, message),
    });
    this.#hooks = new ChatHooks({
      ...deps,
      sessionKey,
      sessionId: () => this.#session.open?.info.id,
      isFresh: () => this.#session.open?.history.some(({ role }) => role === "assistant") === false,
    });
    this.#display = new TurnDisplay({
      ...deps,
      settings: (platform) => this.#liveSettings(platform),
      continuedMessage: () => this.#session.continuedLiveMessage,
      onLiveMessage: (messageId) => this.#session.noteLiveMessage(messageId),
      tell: (message, text, count) => this.#say(message, text, `silence:${this.#fence}:${message.dedupKey}:${count}`),
      interrupt: () => this.#session.open?.interrupt(),
    });
    const shared = {
      ...deps,
      sessionKey,
      asks: this.#asks,
      hooks: this.#hooks,
      say: (message: InboundMessage, text: string, key: string) => this.#say(message, text, key),
    };
    this.#beginning = new Beginning(shared);
    this.#triage = new Triage({ ...shared, session: () => this.#session.open });
    this.#events = new ChatEvents({
      ...shared,
      session: this.#session,
      display: this.#display,
      background: (change) => {
        this.#running += change;
        if (change < 0) this.poke();
      },
    });
  }

  /** The fence it was served under; zero when it was not. */
  get fence(): number {
    return this.#fence;
  }

  /** Something is left that another look must find: the session was busy elsewhere. */
  get isUnfinished(): boolean {
    return this.#isUnfinished;
  }

  /** Another program serves this chat. */
  get isElsewhere(): boolean {
    return this.#isElsewhere;
  }

  /** The person has as many chats served as they may; it goes on when one of those ends. */
  get isPutOff(): boolean {
    return this.#isPutOff;
  }

  /** Its turn was broken off. */
  get isLeft(): boolean {
    return this.#isLeft;
  }

  /** Something new may wait. */
  poke(): void {
    this.#poke.resolve();
    void quietly("looking for a stop", () => this.#beginning.look(), this.#deps);
  }

  /** Until nothing is left to do, or another program has the chat. */
  async run(signal: AbortSignal): Promise<void> {
    const { store } = this.#deps;
    const lost = new AbortController();
    const name = chatLease(this.#key);
    const lease = await takeLease(this.#deps, name, () => {
      lost.abort();
      this.#deps.tally?.leaseLost(name);
      this.#session.breakOff();
      this.poke();
    });
    if (lease.kind === "busy") {
      this.#isElsewhere = true;
      return;
    }
    await using held = lease;
    if (held.fence === undefined) return;
    this.#fence = held.fence.fence;
    this.#signal = signal;
    try {
      const say = (message: InboundMessage, text: string, key: string) => this.#say(message, text, key);
      const recovery = { ...this.#deps, session: this.#session, say };
      const followed = await recoverChat(this.#key, recovery);
      if (followed !== undefined) await this.#answer(followed.submission, followed.message, followed.key);
      while (!this.#isLeft && !lost.signal.aborted) {
        this.#poke = new Deferred<void>();
        const waiting = await store.inbox.pending(this.#key, { limit: rowsAtOnce + this.#inHand.size });
        const left = await withoutSpent(waiting, recovery);
        const rows = left.filter((row) => !this.#inHand.has(row.id) && this.#takes(row, signal));
        const groups = joined(rows);
        if (!this.#seated(groups)) return;
        for (const group of groups) await this.#handle(group);
        if (rows.length > 0) continue;
        if (this.#running === 0) return;
        await this.#poke.promise;
      }
    } finally {
      if (this.#running > 0) await this.#turnLeft();
      await this.#events.settled;
      await this.#display.end();
      await this.#session[Symbol.asyncDispose]();
    }
  }

  #seated(groups: readonly RowGroup[]): boolean {
    const source = groups.find(({ message }) => message !== undefined)?.message?.source;
    if (this.#hasSeat || this.#running > 0 || source === undefined) return true;
    this.#hasSeat = this.#deps.takesSeat(`${source.platform}:${source.userId ?? source.chatId}`);
    this.#isPutOff = !this.#hasSeat;
    return this.#hasSeat;
  }

  /** A turn that was broken off gives its lease back before the chat does. */
  async #turnLeft(): Promise<void> {
    const { clock } = this.#deps;
    const over = new AbortController();
    const slow = clock.sleep(leavingMs, over.signal).catch(() => undefined);
    await Promise.race([this.#session.open?.settled(), slow]);
    over.abort();
  }

  /** Leaves the turn that runs, for the end of the program: it goes on at the next start. */
  breakOff(): void {
    this.#isLeft = true;
    this.#session.breakOff();
    this.poke();
  }

  /** The program ends: the turn that runs may go on, and nothing new begins. */
  drain(tells: boolean): void {
    const message = this.#session.current;
    if (tells && this.#running > 0 && message !== undefined) {
      const { logger } = this.#deps;
      const key = `drain:${this.#fence}:${message.dedupKey}`;
      void quietly("telling of the end", () => this.#say(message, drainText, key), { logger });
    }
    this.poke();
  }

  /** While the program ends only answers to questions are taken; in a turn that is not to be stopped, words and pictures wait. */
  #takes({ kind, platform, receivedAtMs, event }: InboxEntry, signal: AbortSignal): boolean {
    if (kind === "control") return true;
    if (signal.aborted) return false;
    if (kind === "command" || this.#running === 0 || this.#asks.open?.kind === "question") return true;
    if (this.#deps.busyMode() === "queue" || this.#stops >= mostStops) return false;
    if (bringsPictures(event) || isInternal(event)) return false;
    return receivedAtMs >= this.#turnBeganAtMs + (this.#deps.followupGraceMs?.(platform) ?? 0);
  }

  async #handle(group: RowGroup): Promise<void> {
    const { store, logger } = this.#deps;
    const { row, ids, message: written } = group;
    for (const id of ids) this.#inHand.add(id);
    if (row.kind === "control") return await this.#control(row);
    if (written === undefined || this.#deps.platform(written.source.platform) === undefined) {
      logger.error("a message that cannot be read was dropped", { id: row.id, platform: row.platform });
      await store.inbox.finish(ids, "dropped");
      return;
    }
    let message = written;
    try {
      const passed = await this.#triage.pass(message, ids);
      if (passed === undefined) return;
      message = passed;
      await this.#hand(message, ids);
    } catch (error) {
      logger.error("a message could not be handled", { id: row.id, error: describe(error) });
      await store.inbox.finish(ids, "done");
      await this.#say(message, describe(error), rowKey(ids));
    }
  }

  /** To the session: words for the model, or one of its commands. */
  async #hand(message: InboundMessage, ids: readonly number[]): Promise<void> {
    const command = readCommandLine(message.text);
    const isCommand = command !== undefined;
    if (command !== undefined) this.#hooks.command(message, command);
    const notes = isCommand || this.#running > 0 ? [] : await this.#notes(message, rowKey(ids));
    const words = isCommand
      ? { text: message.text, images: [] }
      : await this.#beginning.during(this.#signal, (signal) => this.#words(message, signal));
    if (words === undefined) return await this.#callOff(message, ids);
    const wasRunning = this.#running > 0 && !this.#session.isAnswered;
    const sent = notes.length === 0 ? undefined : [...notes, words.text].join("\n\n");
    const { isInternal: isPlain } = message;
    const hasEarlier = notes.some((note) => note.startsWith(earlierHead));
    const untrusted = message.untrusted ?? (hasEarlier ? "earlier messages of the chat" : undefined);
    const submit = () => this.#session.submit(message, ids, { ...words, sent, untrusted, isPlain });
    const submission = isCommand ? await this.#session.following(message, submit) : await submit();
    if (wasRunning && submission.kind === "turn") {
      this.#stops += 1;
      await this.#acknowledge(message, "Stopping what I was doing to answer this.");
    }
    await this.#answer(submission, message, rowKey(ids));
  }

  async #callOff(message: InboundMessage, ids: readonly number[]): Promise<void> {
    await this.#deps.store.inbox.finish(ids, "done");
    await this.#say(message, "I stopped before I began.", rowKey(ids));
  }

  /** What the model is told before the words. */
  async #notes(message: InboundMessage, key: string): Promise<readonly string[]> {
    const { remote, firstContact, store } = this.#deps;
    const isFirst = (await store.routes.get(this.#key)) === undefined;
    const notes = [
      await this.#startOver(message, key),
      remote === undefined ? await firstContact(message) : "",
      isFirst && message.earlier !== undefined ? `${earlierHead}\n${message.earlier}` : "",
    ];
    return notes.filter((note) => note !== "");
  }

  /** Says that a message was heard while something else runs, now and then only. */
  async #acknowledge(message: InboundMessage, text: string): Promise<void> {
    const nowMs = this.#deps.clock.now();
    if (nowMs - this.#acknowledgedAtMs < acknowledgeEveryMs) return;
    this.#acknowledgedAtMs = nowMs;
    await this.#say(message, text, `busy:${message.dedupKey}`);
  }

  /** Begins a new conversation when the old one has rested long enough. Gives what the model is told of that. */
  async #startOver(message: InboundMessage, key: string): Promise<string> {
    const { store, clock } = this.#deps;
    const route = await store.routes.get(this.#key);
    if (route === undefined) return "";
    const policy = this.#deps.resetPolicy(message.source);
    const reason = resetDue(policy, { lastActiveMs: route.updatedAtMs, nowMs: clock.now() });
    if (reason === undefined || (await this.#session.hasProcesses(message))) return "";
    if (!hasExpired(route)) {
      this.#hooks.ended(message, "expired");
      await this.#session.submit(message, [], { text: "/new" });
    }
    await store.routes.remove(this.#key);
    const why = reason === "idle" ? "it was quiet for long" : "a new day has begun";
    if (policy.tells)
      await this.#say(
        message,
        `I am starting a new conversation because ${why}. The old one: \`/resume ${route.sessionId}\``,
        `${key}:reset`,
      );
    return `[This is a fresh conversation: the one before ended because ${why}.]`;
  }

  /** Ends a conversation that has rested long enough; the chat hears of it with its next message. */
  async #expire(): Promise<void> {
    const { store, clock } = this.#deps;
    const route = await store.routes.get(this.#key);
    if (route === undefined || this.#running > 0 || hasExpired(route)) return;
    const message = nobodys(route);
    if (this.#deps.platform(route.platform) === undefined) return;
    const times = { lastActiveMs: route.updatedAtMs, nowMs: clock.now() };
    if (resetDue(this.#deps.resetPolicy(message.source), times) === undefined) return;
    if (await this.#session.hasProcesses(message)) return;
    await this.#session.submit(message, [], { text: "/new" });
    this.#hooks.ended(message, "expired", route.sessionId);
    await store.routes.put({ ...route, details: { ...route.details, expired: true } });
  }

  /** An answer that was pressed, here or in another process. */
  async #control(row: InboxEntry): Promise<void> {
    const { store, logger } = this.#deps;
    await store.inbox.finish([row.id], "done");
    if (isExpiry(row.event)) return await this.#expire();
    const answer = readAnswer(row.event);
    const session = this.#session.open;
    if (answer === undefined || session === undefined) {
      logger.warn("an answer came too late", { key: this.#key });
      return;
    }
    this.#asks.decidedBy(answer.by);
    if (answer.kind === "approval") session.approve(answer.requestId, answer.choice);
    else session.answer(answer.requestId, answer.answer);
  }

  async #words(message: InboundMessage, signal: AbortSignal): Promise<Enriched> {
    const shared = isShared(message.source, this.#deps.keyRules());
    const named = shared ? { ...message, text: `[${nameOf(message)}] ${message.text}` } : message;
    return await this.#deps.enrich(named, signal);
  }

  async #context(message: InboundMessage): Promise<string> {
    const { source } = message;
    const isHere = this.#deps.remote === undefined;
    return sessionContext(message, {
      platformLabel: this.#deps.platform(source.platform)?.label ?? source.platform,
      isShared: isShared(source, this.#deps.keyRules()),
      hidesIds: this.#deps.hidesIds(),
      sendsFiles: isHere,
      surroundings: isHere ? await this.#deps.surroundings() : "",
    });
  }

  #liveSettings(platformId: string): LiveSettings {
    const platform = this.#deps.platform(platformId);
    if (platform === undefined) throw new Error(`There is no platform ${platformId}.`);
    return this.#deps.liveSettings(platform);
  }

  async #answer(submission: Submission, message: InboundMessage, key: string): Promise<void> {
    if (submission.kind === "turn") this.#follow(submission.ended, message, key);
    else if (submission.kind === "refused") await this.#say(message, submission.message, key);
    else if (submission.kind === "command") {
      const { view } = submission;
      if (view.kind === "turn") this.#follow(view.ended, message, key);
      else if (view.kind === "surface" && view.action.do === "switch-session") {
        const name = await this.#session.switchTo(view.action.id, message);
        await this.#say(message, `You are now in ${name}.`, key);
      } else await this.#say(message, viewText(view), key);
    }
  }

  #follow(ended: Promise<TurnResult>, message: InboundMessage, key: string): void {
    if (this.#running === 0) this.#turnBeganAtMs = this.#deps.clock.now();
    this.#running += 1;
    void this.#afterTurn(ended, message, key).finally(() => {
      this.#running -= 1;
      if (this.#running === 0) this.#stops = 0;
      this.poke();
    });
  }

  async #afterTurn(ended: Promise<TurnResult>, message: InboundMessage, key: string): Promise<void> {
    try {
      const result = await ended;
      if (result.errorClass === "session_busy") return await this.#waitForSession();
      if (result.errorClass === "already_sent") return;
      const isEmpty = result.exitReason === "empty_response_exhausted" || (result.text ?? "").trim() === "";
      if (result.failed && result.error !== undefined) await this.#say(message, result.error, key);
      else if (!result.interrupted && isEmpty) await this.#say(message, result.error ?? emptyText, key);
    } catch (error) {
      this.#deps.logger.error("the end of a turn could not be told", { error: describe(error) });
    }
  }

  /** Another program works in the session: what waits is tried again a little later. */
  async #waitForSession(): Promise<void> {
    const { store, clock } = this.#deps;
    this.#isUnfinished = true;
    const waiting = await store.inbox.pending(this.#key, { limit: rowsAtOnce });
    await store.inbox.postpone(
      waiting.map(({ id }) => id),
      clock.now() + busyRetryMs,
    );
    this.#inHand.clear();
  }

  /** Words of Hermes itself, outside of the conversation. */
  async #say(message: InboundMessage, text: string, key: string): Promise<void> {
    const { store, replies } = this.#deps;
    await store.outbox.owe(replies.notice(text, { message, sessionKey: this.#key, key }));
  }
}

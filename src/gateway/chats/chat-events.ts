import type { Logger } from "#foundation/files/logger";
import { quietly } from "#foundation/files/quietly";
import type { Clock } from "#foundation/time/clock";
import type { SessionEvent } from "#session";
import type { Store } from "#store";
import type { ChatAsks } from "../asks/chat-asks.ts";
import type { Replies } from "../delivery/replies.ts";
import type { TallyPort } from "../figures/tally.ts";
import { TurnNotices } from "../live/turn-notices.ts";
import type { InboundMessage } from "../platform/inbound.ts";
import type { Platform } from "../platform/platform.ts";
import { isShared, type KeyRules } from "../routing/session-key.ts";
import type { ChatHooks } from "./chat-hooks.ts";
import type { ChatSession } from "./chat-session.ts";
import type { TurnDisplay } from "./turn-display.ts";

export interface ChatEventsDeps {
  readonly sessionKey: string;
  readonly store: Store;
  readonly replies: Replies;
  readonly clock: Clock;
  readonly logger: Logger;
  platform(id: string): Platform | undefined;
  keyRules(): KeyRules;
  readonly asks: ChatAsks;
  readonly hooks: ChatHooks;
  readonly session: ChatSession;
  readonly display: TurnDisplay;
  readonly tally?: TallyPort;
  /** A task in the background begins or has ended: it keeps the chat, since its result is told here. */
  background(change: 1 | -1): void;
  say(message: InboundMessage, text: string, key: string): Promise<void>;
}

/** What the events of a session are in a chat: a display, questions, results. */
export class ChatEvents {
  readonly #deps: ChatEventsDeps;
  readonly #notices: TurnNotices;
  #noticeCount = 0;
  #turnBeganAtMs = 0;
  #shown: Promise<void> = Promise.resolve();

  constructor(deps: ChatEventsDeps) {
    this.#deps = deps;
    this.#notices = new TurnNotices(deps.clock);
  }

  /** What was heard so far has been dealt with. */
  get settled(): Promise<void> {
    return this.#shown;
  }

  /** Events are dealt with one after the other; what they write is done before the chat is left. */
  heard(event: SessionEvent): void {
    const { logger, display } = this.#deps;
    display.heard(event);
    this.#measure(event);
    if (event.type === "background-start") this.#deps.background(1);
    this.#shown = this.#shown.then(() =>
      quietly("showing an event in a chat", () => this.#show(event), { logger, level: "error" }),
    );
  }

  /** Told after the answer, if the conversation has not gone on meanwhile. */
  aside(text: string, message: InboundMessage): void {
    const { store, sessionKey, logger } = this.#deps;
    const tell = async (): Promise<void> => {
      const platform = this.#deps.platform(message.source.platform);
      const waits = await store.inbox.pending(sessionKey, { limit: 1 });
      const goesOn = waits.length > 0 || (await store.gatewayTurns.unfinished(sessionKey)).length > 0;
      if (platform !== undefined && !goesOn) await this.#tellNotice(text, message, platform);
    };
    void quietly("telling what was done after a turn", tell, { logger });
  }

  #measure({ type }: SessionEvent): void {
    const { clock, session, tally } = this.#deps;
    if (type === "turn-start") this.#turnBeganAtMs = clock.now();
    const platform = session.current?.source.platform;
    if (type === "turn-end" && platform !== undefined) tally?.turnEnded(platform, clock.now() - this.#turnBeganAtMs);
  }

  async #show(event: SessionEvent): Promise<void> {
    const { session, display, hooks, asks } = this.#deps;
    const message = session.current;
    const platform = message === undefined ? undefined : this.#deps.platform(message.source.platform);
    if (message === undefined || platform === undefined) return;
    const { type } = event;
    hooks.event(event, message);
    const notice = this.#notices.heard(event);
    if (notice !== undefined) await this.#tellNotice(notice, message, platform);
    if (type === "turn-start") display.begin(message);
    else if (type === "turn-end") await display.end(event.exitReason);
    else if (type === "background-end") await this.#tellResult(event, message);
    else if (type === "approval-request" && platform.capabilities.takesAnswers === false)
      session.open?.approve(event.id, "deny");
    else if (type === "question-request" && platform.capabilities.takesAnswers === false)
      session.open?.answer(event.id, undefined);
    else if (type === "approval-request" || type === "question-request") {
      const ask = await asks.put(event, {
        message,
        platform,
        isShared: isShared(message.source, this.#deps.keyRules()),
      });
      display.pause(true);
      await session.noteAsk(ask.id);
    } else if (type === "approval-response" || type === "question-response") {
      display.pause(false);
      await asks.settled(event);
    } else if (type === "secret-request") {
      session.open?.answer(event.id, undefined);
      await this.#deps.say(message, noSecretsText, `secret:${event.id}`);
    }
  }

  /** Not where every message is a letter of its own, and not where nobody reads along. */
  async #tellNotice(text: string, message: InboundMessage, { capabilities }: Platform): Promise<void> {
    if (capabilities.tier === "minimal" || capabilities.takesAnswers === false) return;
    this.#noticeCount += 1;
    const { clock, say } = this.#deps;
    await say(message, text, `notice:${message.dedupKey}:${clock.now()}:${this.#noticeCount}`);
  }

  async #tellResult(event: Extract<SessionEvent, { type: "background-end" }>, message: InboundMessage): Promise<void> {
    const { store, replies, sessionKey } = this.#deps;
    this.#deps.background(-1);
    const text = `**Done in the background:** ${event.prompt.slice(0, 60)}\n\n${event.text}`;
    await store.outbox.owe(replies.answer(text, { message, sessionKey, key: `background:${event.id}` }));
  }
}

const noSecretsText =
  "A password or key is needed to continue, and a chat is not the place for one. Enter it on the machine: `hermes config set <NAME> <value>`.";

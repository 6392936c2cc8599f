import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { timeLimit } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import type { Clock } from "#foundation/time/clock";
import type { SessionEvent } from "#session";
import type { Outlet } from "../delivery/outlet.ts";
import type { InboundMessage } from "../platform/inbound.ts";
import type { Destination, Outbound, SendResult } from "../platform/outbound.ts";
import type { LiveSettings } from "./live-settings.ts";
import { progressText, type ToolLine, visibleSoFar, withToolCall } from "./live-text.ts";

export interface LiveViewDeps {
  readonly outlet: Outlet;
  readonly settings: LiveSettings;
  /** The message this turn answers. */
  readonly message: InboundMessage;
  /** A message that shows the beginning of an answer exists now; after a crash it becomes the answer. */
  onLiveMessage(messageId: string): void;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Unit {
  readonly kind: "text" | "progress";
  text: string;
  lines: readonly ToolLine[];
  isDone: boolean;
  messageId: string | undefined;
  shown: string;
}

const typingEveryMs = 4_000;
const progressEveryMs = 1_500;
const leastVisible = 4;
const longestIntervalMs = 10_000;
const mostFailures = 3;

/**
 * What a chat sees of a turn while it runs: that somebody types, the tools at work, the answer growing. All of it may
 * be dropped: the answer itself is owed through the outbox, which turns the growing message into the finished one.
 */
export class LiveView {
  readonly #deps: LiveViewDeps;
  readonly #to: Destination;
  readonly #over = new AbortController();
  readonly #running: Promise<unknown>;
  #units: Unit[] = [];
  #changed = new Deferred<void>();
  #intervalMs: number;
  #failures = 0;
  #heldBytes = 0;
  #isPaused = false;
  #isTaken = false;

  constructor(deps: LiveViewDeps, liveMessageId?: string) {
    this.#deps = deps;
    const { platform, account, chatId, threadId } = deps.message.source;
    this.#to = { platform, account, chatId, threadId };
    this.#intervalMs = deps.settings.editIntervalMs;
    if (liveMessageId !== undefined) this.#units.push({ ...unit("text"), messageId: liveMessageId });
    this.#running = Promise.all([this.#type(), this.#draw()]);
  }

  heard(event: SessionEvent): void {
    const { streams, toolProgress, previewLength, bufferBytes } = this.#deps.settings;
    if (event.type === "approval-request" || event.type === "question-request") this.#isPaused = true;
    if (event.type === "approval-response" || event.type === "question-response") this.#isPaused = false;
    if (event.type === "text-delta" && streams) {
      const current = this.#current("text");
      this.#heldBytes += Buffer.byteLength(event.text);
      if (this.#heldBytes <= bufferBytes) current.text += event.text;
    } else if (event.type === "tool-start" && toolProgress !== "off") {
      const current = this.#current("progress");
      current.lines = withToolCall(current.lines, event, { mode: toolProgress, previewLength });
      current.text = progressText(current.lines);
    } else if (event.type === "tool-start") this.#finish();
    this.#changed.resolve();
  }

  /** The answer is stored and goes out now: the message that shows its beginning, which is no longer touched here. */
  take(): string | undefined {
    this.#isTaken = true;
    const last = this.#units.at(-1);
    return last?.kind === "text" && !last.isDone ? last.messageId : undefined;
  }

  /** The turn is over. What is on its way arrives first. */
  async end(): Promise<void> {
    this.#over.abort();
    this.#changed.resolve();
    await this.#running;
    if (!this.#isTaken || this.#failures >= mostFailures) return;
    // Lines about tools stay in the chat: the last ones, too, which came within the pause between two edits.
    for (const one of this.#units)
      if (one.kind === "progress" && one.messageId !== undefined) await this.#show(one, true);
  }

  #current(kind: Unit["kind"]): Unit {
    const last = this.#units.at(-1);
    if (last !== undefined && last.kind === kind && !last.isDone) return last;
    this.#finish();
    const next = unit(kind);
    this.#units.push(next);
    return next;
  }

  #finish(): void {
    const last = this.#units.at(-1);
    if (last !== undefined) last.isDone = true;
  }

  async #type(): Promise<void> {
    const { outlet, clock, logger } = this.#deps;
    const { signal } = this.#over;
    while (!signal.aborted && outlet.platform.capabilities.canType) {
      if (!this.#isPaused)
        await outlet.connection.typing?.(this.#to, signal).catch((error: unknown) => {
          if (!signal.aborted) logger.debug("typing could not be shown", { error: describe(error) });
        });
      await clock.sleep(typingEveryMs, signal).catch(() => undefined);
    }
  }

  async #draw(): Promise<void> {
    const { clock } = this.#deps;
    const { signal } = this.#over;
    while (!signal.aborted && this.#failures < mostFailures) {
      await this.#changed.promise;
      this.#changed = new Deferred<void>();
      for (const one of this.#units) {
        if (signal.aborted || this.#isTaken) break;
        await this.#show(one);
      }
      const last = this.#units.at(-1);
      const pauseMs = last?.kind === "progress" ? Math.max(progressEveryMs, this.#intervalMs) : this.#intervalMs;
      await clock.sleep(pauseMs, signal).catch(() => undefined);
    }
  }

  async #show(one: Unit, isLast = false): Promise<void> {
    const { outlet, settings } = this.#deps;
    const visible = one.kind === "text" ? visibleSoFar(one.text) : one.text;
    if (visible.trim().length < leastVisible && one.messageId === undefined) return;
    const text = one.isDone || one.kind === "progress" ? visible : visible + settings.cursor;
    if (text === one.shown || text.trim() === "") return;
    const body = outlet.platform.render(text)[0];
    if (body === undefined) return;
    const message: Outbound =
      one.messageId === undefined
        ? { kind: "text", body, replyTo: one.kind === "text" ? this.#deps.message.messageId : undefined }
        : { kind: "edit", messageId: one.messageId, body, isFinal: one.isDone };
    const context = {
      key: `live:${this.#deps.message.dedupKey}:${this.#units.indexOf(one)}`,
      signal: timeLimit(longestIntervalMs),
      isGrowing: !one.isDone,
    };
    const sending = isLast
      ? outlet.inTurn(this.#to.chatId, context.signal, () => outlet.connection.send(this.#to, message, context))
      : outlet.sendIfRoom(this.#to, message, context);
    const result = await sending.catch((error: unknown) => failed(error));
    if (result === undefined) return void this.#changed.resolve();
    if (result.kind === "failed") return this.#slowDown(result);
    this.#failures = 0;
    one.shown = text;
    if (one.messageId !== undefined) return;
    one.messageId = result.messageId;
    if (result.messageId === undefined) this.#failures = mostFailures;
    else if (one.kind === "text") await this.#created(result.messageId);
  }

  /** The answer went out on its own while its first piece was on its way: that piece is taken back. */
  async #created(messageId: string): Promise<void> {
    if (!this.#isTaken) return this.#deps.onLiveMessage(messageId);
    await this.#deps.outlet.connection.remove?.(this.#to, messageId, timeLimit(longestIntervalMs));
  }

  #slowDown({ errorClass, message, retryAfterMs = 0 }: Extract<SendResult, { readonly kind: "failed" }>): void {
    this.#failures += 1;
    this.#intervalMs = Math.min(longestIntervalMs, Math.max(this.#intervalMs * 2, retryAfterMs));
    this.#deps.logger.debug("a growing message could not be shown", { errorClass, message });
    this.#changed.resolve();
  }
}

function unit(kind: Unit["kind"]): Unit {
  return { kind, text: "", lines: [], isDone: false, messageId: undefined, shown: "" };
}

function failed(error: unknown): SendResult {
  return { kind: "failed", errorClass: "unknown", message: describe(error) };
}

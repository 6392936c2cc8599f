import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { isAbort, linkSignals } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import type { OutboxEntry, Store } from "#store";
import type { BroughtFile } from "../media/outgoing.ts";
import type { Outbound, SendResult } from "../platform/outbound.ts";
import { type OwedSpeech, readSpeech } from "../voice/speech.ts";
import type { Outlet } from "./outlet.ts";

export interface SenderDeps {
  readonly store: Pick<Store, "outbox" | "signals">;
  readonly outlet: Outlet;
  /** Brings a file that lies on another machine, until it is sent. */
  readonly bring?: ((message: Outbound, key: string, signal: AbortSignal) => Promise<BroughtFile>) | undefined;
  /** Makes sound of words that are owed as speech. */
  readonly speak?: ((speech: OwedSpeech, key: string, signal: AbortSignal) => Promise<Outbound>) | undefined;
  /** What is done with a message whose sending was cut off, where the platform cannot say. */
  unknownSend(): "resend_marked" | "drop";
  /** How long a message of words waits before it goes; its chat waits with it. */
  pauseMs?(): number;
  /** The platform asked for a message to wait so long. */
  onWait?(waitMs: number): void;
  readonly clock: Clock;
  readonly logger: Logger;
}

const lookEveryMs = 1_000;
const firstRetryMs = 2_000;
const longestRetryMs = 300_000;
const givesUpAfterMs = 24 * 3_600_000;
const resendAfterMs = 30_000;
/** After so many attempts a message in doubt is not sent once more. */
const mostAttemptsInDoubt = 6;
/** How long a file may not be there; its machine may be starting. */
const fileComesMs = 600_000;
/** Its sending was cut off on a platform that cannot say what became of it. */
const inDoubt = "in-doubt";
/** Failures that another attempt cannot mend. */
const hopeless: ReadonlySet<string> = new Set(["permission", "not-found", "too-large", "format", "auth"]);

/**
 * Sends what an account owes: in order within a chat, side by side over chats. A chat whose first message fails holds up
 * itself only. A message is marked as being sent before it leaves; one that a crash leaves so is settled with the
 * platform's own memory, or sent again and marked, never silently twice.
 */
export class Sender {
  readonly #deps: SenderDeps;
  readonly #busyChats = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  #look: (() => void) | undefined;

  constructor(deps: SenderDeps) {
    this.#deps = deps;
  }

  /** Until the signal; what is being sent then is finished first. */
  async run(signal: AbortSignal): Promise<void> {
    const { store, logger } = this.#deps;
    const { platform, connection } = this.#deps.outlet;
    using _hints = store.signals.onOwed((id, account) => {
      if (id === platform.id && account === connection.account.id) this.#look?.();
    });
    await this.#settleInterrupted(signal);
    while (!signal.aborted) {
      try {
        await this.#sendDue(signal);
      } catch (error) {
        logger.error("what is owed could not be read", { platform: platform.id, error: describe(error) });
      }
      await this.#nextLook(signal);
    }
    await Promise.all(this.#running);
  }

  async #nextLook(signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.#look = () => woken.abort();
    try {
      await this.#deps.clock.sleep(lookEveryMs, linkSignals(signal, woken.signal));
    } catch (error) {
      if (!isAbort(error)) throw error;
    } finally {
      this.#look = undefined;
    }
  }

  async #sendDue(signal: AbortSignal): Promise<void> {
    const due = await this.#deps.store.outbox.due(this.#account);
    for (const entry of due) {
      const chat = `${entry.chatId}:${entry.threadId ?? ""}`;
      if (this.#busyChats.has(chat)) continue;
      this.#busyChats.add(chat);
      const sending = this.#sendOne(entry, signal).finally(() => {
        this.#busyChats.delete(chat);
        this.#running.delete(sending);
        this.#look?.();
      });
      this.#running.add(sending);
    }
  }

  async #sendOne(entry: OutboxEntry, signal: AbortSignal): Promise<void> {
    const { store, logger, outlet, clock } = this.#deps;
    const pauseMs = entry.kind === "send" ? (this.#deps.pauseMs?.() ?? 0) : 0;
    try {
      if (pauseMs > 0) await clock.sleep(pauseMs, signal);
      await using brought = await this.#brought(entry, signal);
      if (brought === undefined) return;
      const { message } = brought;
      // Marked only when its turn has come: a crash while it waits for the platform's pace leaves no doubt.
      const result = await outlet.inTurn(entry.chatId, signal, async () =>
        (await store.outbox.startSending(entry.id)) ? await this.#attempt(entry, message, signal) : undefined,
      );
      if (result === undefined) return;
      await this.#settle(entry, result, signal);
    } catch (error) {
      // If it was marked as being sent it stays so: whether it left is found out as after a crash.
      if (signal.aborted) return;
      logger.error("a message could not be sent", { platform: outlet.platform.id, error: describe(error) });
      await this.#doubt(entry, signal);
    }
  }

  /** The message with its file on this machine; undefined when the file cannot be had now. */
  async #brought(entry: OutboxEntry, signal: AbortSignal): Promise<BroughtFile | undefined> {
    const speech = readSpeech(entry.payload);
    if (speech !== undefined) return await this.#spoken(entry, speech, signal);
    const message = entry.payload as Outbound;
    if (this.#deps.bring === undefined) return { message, [Symbol.asyncDispose]: () => Promise.resolve() };
    try {
      return await this.#deps.bring(message, entry.idempotencyKey, signal);
    } catch (error) {
      signal.throwIfAborted();
      const isLate = this.#deps.clock.now() - entry.createdAtMs > fileComesMs;
      const errorClass = isLate ? "not-found" : "network";
      await this.#settle(entry, { kind: "failed", errorClass, message: describe(error) }, signal);
      return undefined;
    }
  }

  /** The text of the answer has arrived already: one that cannot be said is left at that. */
  async #spoken(entry: OutboxEntry, speech: OwedSpeech, signal: AbortSignal): Promise<BroughtFile | undefined> {
    const { store, logger } = this.#deps;
    try {
      if (this.#deps.speak === undefined) throw new Error("nothing is set up to speak");
      const message = await this.#deps.speak(speech, entry.idempotencyKey, signal);
      return { message, [Symbol.asyncDispose]: () => Promise.resolve() };
    } catch (error) {
      signal.throwIfAborted();
      logger.warn("an answer could not be spoken", { platform: entry.platform, error: describe(error) });
      await store.outbox.fail(entry.id, { status: "failed", errorClass: "speech" });
      return undefined;
    }
  }

  async #attempt(entry: OutboxEntry, payload: Outbound, signal: AbortSignal): Promise<SendResult> {
    const { connection } = this.#deps.outlet;
    const message = entry.errorClass === inDoubt ? markedAsResent(payload) : payload;
    const context = { key: entry.idempotencyKey, signal };
    let result = await connection.send(destinationOf(entry), message, context);
    for (const other of otherForms(message)) {
      if (result.kind !== "failed" || !other.helpsAgainst.has(result.errorClass)) continue;
      result = await connection.send(destinationOf(entry), other.message, context);
    }
    return result;
  }

  async #settle(entry: OutboxEntry, result: SendResult, signal: AbortSignal): Promise<void> {
    const { store, clock, logger } = this.#deps;
    const { platform } = this.#deps.outlet;
    if (result.kind === "sent") {
      await store.outbox.markSent(entry.id, result.messageId);
      return;
    }
    const { errorClass, message } = result;
    logger.warn("a message was not taken", { platform: platform.id, errorClass, message, attempts: entry.attempts });
    const ageMs = clock.now() - entry.createdAtMs;
    if (errorClass === "timeout") await this.#doubt(entry, signal);
    else if (hopeless.has(errorClass)) await store.outbox.fail(entry.id, { status: "failed", errorClass });
    else if (ageMs > givesUpAfterMs) await store.outbox.fail(entry.id, { status: "dead", errorClass });
    else {
      const waitMs = result.retryAfterMs ?? Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(entry.attempts, 20));
      if (result.retryAfterMs !== undefined) this.#deps.onWait?.(waitMs);
      // It may have arrived before: however often it is put off, it is marked when it goes.
      const kept = entry.errorClass === inDoubt ? inDoubt : errorClass;
      await store.outbox.retryAt(entry.id, { atMs: clock.now() + waitMs, errorClass: kept });
    }
  }

  async #settleInterrupted(signal: AbortSignal): Promise<void> {
    const cut = await this.#deps.store.outbox.interrupted(this.#account);
    for (const entry of cut) await this.#doubt(entry, signal);
  }

  /** Nobody knows whether it arrived. */
  async #doubt(entry: OutboxEntry, signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#deps;
    const { connection, platform } = this.#deps.outlet;
    const { settlesSends } = platform.capabilities;
    const again = (atMs: number) => store.outbox.retryAt(entry.id, { atMs, errorClass: "interrupted" });
    // With our key the platform sends it once, however often it is asked to. So does an edit.
    if (settlesSends === "key" || entry.kind === "edit") return await again(clock.now());
    // Heard twice is worse than read only.
    if (readSpeech(entry.payload) !== undefined)
      return await store.outbox.fail(entry.id, { status: "unknown", errorClass: "interrupted" });
    const message = entry.payload as Outbound;
    const context = { key: entry.idempotencyKey, signal };
    const found = await connection.reconcile?.(destinationOf(entry), message, context);
    if (found?.kind === "sent") return await store.outbox.markSent(entry.id, found.messageId);
    if (found?.kind === "not-sent") return await again(clock.now());
    // Once again, marked. In doubt even so it goes again: read twice and marked is better than never read.
    const isEnough = entry.errorClass === inDoubt && entry.attempts >= mostAttemptsInDoubt;
    if (this.#deps.unknownSend() === "drop" || isEnough)
      return await store.outbox.fail(entry.id, { status: "unknown", errorClass: "interrupted" });
    await store.outbox.retryAt(entry.id, { atMs: clock.now() + resendAfterMs, errorClass: inDoubt });
  }

  get #account(): { platform: string; account: string } {
    const { platform, connection } = this.#deps.outlet;
    return { platform: platform.id, account: connection.account.id };
  }
}

function destinationOf({ platform, account, chatId, threadId }: OutboxEntry) {
  return { platform, account, chatId, threadId };
}

function markedAsResent(message: Outbound): Outbound {
  if (message.kind !== "text") return message;
  const { text, plain } = message.body;
  return { ...message, body: { text: `${text}\n\n(resent)`, plain: `${plain}\n\n(resent)` } };
}

/** The same in another form, for when a platform does not take it so. */
function otherForms(
  message: Outbound,
): readonly { readonly message: Outbound; readonly helpsAgainst: ReadonlySet<string> }[] {
  if (message.kind === "media") return [];
  const { plain, text } = message.body;
  const body = { text: plain, plain };
  const unmarked = text === plain ? [] : [{ message: { ...message, body }, helpsAgainst: new Set(["format"]) }];
  // The message that was to become the answer is gone or too old: the answer is a message of its own.
  if (message.kind !== "edit" || message.buttons !== undefined) return unmarked;
  const anew = {
    message: { kind: "text", body: message.body } as const,
    helpsAgainst: new Set(["not-found", "format", "permission"]),
  };
  return [...unmarked, anew];
}

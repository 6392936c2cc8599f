import type { Clock } from "#foundation/time/clock";
import type { InboxKind, Store } from "#store";
import type { InboundMessage } from "../platform/inbound.ts";
import type { StreamPosition } from "../platform/platform.ts";
import { readCommandLine } from "../routing/command-line.ts";
import { type KeyRules, sessionKeyOf } from "../routing/session-key.ts";

export interface IntakeDeps {
  readonly store: Pick<Store, "inbox" | "signals">;
  keyRules(): KeyRules;
  /** How long a text is that its platform's programs cut in pieces. */
  splitLength(platform: string): number;
  /** How long further pictures of an album may take, where the platform has a setting for it. */
  albumMs?(platform: string): number | undefined;
  /** Messages that may wait in one chat. */
  mostPending(): number;
  /** Says that a message was not taken. */
  refuse(message: InboundMessage): Promise<void>;
  readonly clock: Clock;
}

/** A text that was cut is followed by the rest of it; pictures of an album come one by one. */
const restComesMs = 2_000;
const albumMs = 800;
const quietMs = 600;

/**
 * Where events of platforms become rows of the inbox. A row, the position in the platform's stream and the
 * hint to the workers are one transaction, and only afterwards is the platform told that it was heard: nothing is lost, and what comes twice is one.
 */
export class Intake {
  readonly #deps: IntakeDeps;
  /** Rows that wait for the rest of what somebody sent; after a restart their own time says when they are due. */
  readonly #bursts = new Map<string, { readonly ids: readonly number[]; readonly dueMs: number }>();

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  /** False when it was taken in already. */
  async admit(message: InboundMessage, position?: StreamPosition): Promise<boolean> {
    const { source, dedupKey } = message;
    const { platform, account } = source;
    const sessionKey = sessionKeyOf(source, this.#deps.keyRules());
    const kind = kindOf(message);
    if (kind === "message" && (await this.#isFull(sessionKey))) {
      if (position !== undefined) await this.#deps.store.inbox.setCursor({ platform, account, ...position });
      await this.#deps.refuse(message);
      return false;
    }
    const waitMs = kind === "message" ? this.#waitMs(sessionKey, message) : 0;
    const availableAtMs = waitMs === 0 ? undefined : this.#deps.clock.now() + waitMs;
    const wakes = waitMs === 0 ? (true as const) : undefined;
    const entry = { dedupKey, platform, account, sessionKey, kind, event: message, availableAtMs, wakes };
    const cursor = position === undefined ? undefined : { platform, account, ...position };
    const admission = await this.#deps.store.inbox.admit(entry, cursor);
    if (admission.kind !== "admitted") return false;
    if (availableAtMs === undefined) return true;
    await this.#extendBurst(sessionKey, admission.id, availableAtMs);
    await this.#deps.store.signals.wake(sessionKey, { inMs: waitMs });
    return true;
  }

  async #isFull(sessionKey: string): Promise<boolean> {
    const most = this.#deps.mostPending();
    return (await this.#deps.store.inbox.waiting(sessionKey, most)) >= most;
  }

  #waitMs(sessionKey: string, { source, text, attachments }: InboundMessage): number {
    if (text.length >= this.#deps.splitLength(source.platform)) return restComesMs;
    if (attachments.some(({ kind }) => kind === "image" || kind === "video"))
      return this.#deps.albumMs?.(source.platform) ?? albumMs;
    const burst = this.#bursts.get(sessionKey);
    return burst !== undefined && burst.dueMs > this.#deps.clock.now() ? quietMs : 0;
  }

  /** What came before it waits as long as the newest. */
  async #extendBurst(sessionKey: string, id: number, dueMs: number): Promise<void> {
    const nowMs = this.#deps.clock.now();
    for (const [key, { dueMs: due }] of this.#bursts) if (due <= nowMs) this.#bursts.delete(key);
    const earlier = this.#bursts.get(sessionKey)?.ids ?? [];
    if (earlier.length > 0) await this.#deps.store.inbox.postpone(earlier, dueMs);
    this.#bursts.set(sessionKey, { ids: [...earlier, id], dueMs });
  }

  async position(account: { readonly platform: string; readonly account: string }, name: string) {
    return await this.#deps.store.inbox.cursor(account.platform, account.account, name);
  }
}

function kindOf({ text }: InboundMessage): InboxKind {
  return readCommandLine(text) === undefined ? "message" : "command";
}

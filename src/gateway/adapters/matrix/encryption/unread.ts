import { type Fields, textAt } from "../../support/fields.ts";
import type { MatrixCrypto } from "./crypto.ts";

const mostWaiting = 100;
const waitMs = 5 * 60_000;

interface Waiting {
  readonly room: string;
  readonly event: Fields;
  readonly untilMs: number;
}

/** Encrypted messages whose key is not here yet: it often comes a moment later. */
export class Unread {
  #waiting: readonly Waiting[] = [];
  readonly #told = new Set<string>();

  add(room: string, event: Fields, nowMs: number): void {
    this.#waiting = [...this.#waiting, { room, event, untilMs: nowMs + waitMs }].slice(-mostWaiting);
  }

  /** What can be read now. What has waited too long is given up. */
  async retry(
    crypto: MatrixCrypto,
    nowMs: number,
  ): Promise<readonly { readonly room: string; readonly event: Fields }[]> {
    const found: { readonly room: string; readonly event: Fields }[] = [];
    const still: Waiting[] = [];
    for (const one of this.#waiting) {
      const event = await crypto.opened(one.event, one.room);
      if (event !== undefined) found.push({ room: one.room, event });
      else if (nowMs < one.untilMs) still.push(one);
    }
    this.#waiting = still;
    return found;
  }

  /** Whether this room has not been told yet that its messages cannot be read. */
  isNews(room: string): boolean {
    if (this.#told.has(room)) return false;
    this.#told.add(room);
    return true;
  }
}

export function isEncrypted(event: Fields): boolean {
  return textAt(event, "type") === "m.room.encrypted";
}

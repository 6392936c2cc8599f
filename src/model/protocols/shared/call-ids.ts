import { createHash } from "node:crypto";
import { splitStoredCallId } from "#conversation";

/**
 * The ids of calls in the form one wire accepts, the same for a call and its result. Two ids never
 * become one: the later gets a number.
 */
export class CallIds {
  readonly #maxLength: number;
  readonly #known = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  of(stored: string): string {
    const known = this.#known.get(stored);
    if (known !== undefined) return known;
    const clean = this.#clean(stored);
    let id = clean;
    for (let number = 2; this.#taken.has(id); number += 1) id = `${clean.slice(0, this.#maxLength - 6)}_${number}`;
    this.#known.set(stored, id);
    this.#taken.add(id);
    return id;
  }

  #clean(stored: string): string {
    const { callId, itemId } = splitStoredCallId(stored);
    const chosen = (callId ?? itemId ?? "").replace(/[^A-Za-z0-9_-]/g, "_");
    if (chosen !== "" && chosen.length <= this.#maxLength) return chosen;
    return `call_${createHash("sha256").update(stored).digest("hex").slice(0, 12)}`;
  }
}

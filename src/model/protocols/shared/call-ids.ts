import { createHash } from "node:crypto";
import { type AssistantMessage, splitStoredCallId } from "#conversation";

/** Neither two ids in one nor an item's, and of letters that every wire takes. */
const plainId = /^[A-Za-z0-9_-]+$/;

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

  /** The ids of all calls of a message, in one text; they hold no spaces. */
  ofCalls({ tool_calls: calls }: AssistantMessage): string {
    const first = calls?.[0];
    if (calls === undefined || first === undefined) return "";
    return calls.length === 1 ? this.of(first.id) : calls.map((call) => this.of(call.id)).join(" ");
  }

  #clean(stored: string): string {
    if (stored.length <= this.#maxLength && plainId.test(stored)) return stored;
    const { callId, itemId } = splitStoredCallId(stored);
    const chosen = (callId ?? itemId ?? "").replace(/[^A-Za-z0-9_-]/g, "_");
    if (chosen !== "" && chosen.length <= this.#maxLength) return chosen;
    return `call_${createHash("sha256").update(stored).digest("hex").slice(0, 12)}`;
  }
}

/**
 * How many chats of one person are served at the same time. One who has all of theirs waits for one of them to end, and
 * everybody else goes on.
 */
export class Seats {
  readonly #most: () => number;
  readonly #taken = new Map<string, Set<string>>();
  readonly #waiting = new Map<string, Set<string>>();

  constructor(most: () => number) {
    this.#most = most;
  }

  /** False: this person's chat is told of when one of theirs is left. */
  take(person: string, chat: string): boolean {
    const chats = this.#taken.get(person) ?? new Set<string>();
    if (!chats.has(chat) && chats.size >= this.#most()) {
      this.#waiting.set(person, (this.#waiting.get(person) ?? new Set()).add(chat));
      return false;
    }
    this.#taken.set(person, chats.add(chat));
    return true;
  }

  /** Gives the chat that may go on instead. */
  leave(chat: string): string | undefined {
    for (const [person, chats] of this.#taken) {
      if (!chats.delete(chat)) continue;
      if (chats.size === 0) this.#taken.delete(person);
      return this.#next(person);
    }
    return undefined;
  }

  #next(person: string): string | undefined {
    const waiting = this.#waiting.get(person);
    const [first] = waiting ?? [];
    if (first !== undefined) waiting?.delete(first);
    if (waiting?.size === 0) this.#waiting.delete(person);
    return first;
  }
}

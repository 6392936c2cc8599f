import type { TurnId } from "#conversation";
import type { SessionEvent, SessionInfo, SessionRequest } from "../api.ts";

interface Numbered {
  readonly event: SessionEvent;
  readonly seq: number;
}

const mostKept = 1_000;

/** What a surface that was away for a moment has missed: the events of the last turn, and how things stand. */
export class RecentEvents {
  #kept: Numbered[] = [];
  #newest = 0;
  /** The last event that is not kept any more. */
  #gone = 0;
  #turnId: TurnId | undefined;
  #text = "";
  readonly #requests = new Map<string, SessionRequest>();

  get newest(): number {
    return this.#newest;
  }

  /** What waits for an answer. */
  get requests(): readonly SessionRequest[] {
    return [...this.#requests.values()];
  }

  note(event: SessionEvent, seq: number): void {
    this.#newest = seq;
    // Of an earlier turn the transcript tells.
    if (event.type === "turn-start") this.#forget(this.#kept.length);
    this.#kept.push({ event, seq });
    if (this.#kept.length > mostKept) this.#forget(mostKept / 10);
    this.#follow(event);
  }

  /** A number that was never given out is one of an earlier run of the program. */
  after(seq: number, info: () => SessionInfo): readonly Numbered[] {
    if (seq >= this.#gone && seq <= this.#newest) return this.#kept.filter((one) => one.seq > seq);
    const { requests } = this;
    const event = { type: "resync", info: info(), turnId: this.#turnId, text: this.#text, requests } as const;
    return [{ event, seq: this.#newest }];
  }

  #forget(count: number): void {
    this.#gone = this.#kept[count - 1]?.seq ?? this.#gone;
    this.#kept = this.#kept.slice(count);
  }

  #follow(event: SessionEvent): void {
    switch (event.type) {
      case "turn-start":
        this.#turnId = event.turnId;
        this.#text = "";
        return;
      case "turn-end":
        this.#turnId = undefined;
        this.#text = "";
        return;
      case "text-delta":
        this.#text += event.text;
        return;
      case "message-end":
        this.#text = "";
        return;
      case "approval-request":
      case "question-request":
      case "secret-request":
        this.#requests.set(event.id, event);
        return;
      case "approval-response":
      case "question-response":
        this.#requests.delete(event.id);
        return;
      default:
    }
  }
}

import { recoveryWords } from "#conversation";
import type { Clock } from "#foundation/time/clock";
import type { SessionEvent } from "#session";

/** So long nothing more is said of the same kind. */
const quietMs = 60_000;
/** A shorter wait is over before anybody has read of it. */
const longWaitMs = 10_000;
const longestText = 300;
/** What is to be set in a shell is no news for a chat; it stands in the log and in `hermes doctor`. */
const forTheOwner = /\bhermes [a-z]/u;
const mostKinds = 50;

/**
 * What a chat is told of the troubles of a turn that goes on all the same: another model answers, the provider makes it
 * wait, the conversation is nearly too long. Nothing before a turn or after it, and of each kind one in a while.
 */
export class TurnNotices {
  readonly #clock: Clock;
  readonly #toldAtMs = new Map<string, number>();
  #isInTurn = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What is worth a message now. */
  heard(event: SessionEvent): string | undefined {
    if (event.type === "turn-start") this.#isInTurn = true;
    if (event.type === "turn-end") this.#isInTurn = false;
    if (!this.#isInTurn) return undefined;
    if (event.type === "notice" && event.level === "warn" && !forTheOwner.test(event.text))
      return this.#once(kindOf(event.text), event.text);
    if (event.type === "recovery-start" && event.waitMs >= longWaitMs)
      return this.#once("recovery", `${recoveryWords(event)}.`);
    return undefined;
  }

  #once(kind: string, text: string): string | undefined {
    const nowMs = this.#clock.now();
    const lastMs = this.#toldAtMs.get(kind);
    if (lastMs !== undefined && nowMs - lastMs < quietMs) return undefined;
    if (this.#toldAtMs.size >= mostKinds) this.#toldAtMs.clear();
    this.#toldAtMs.set(kind, nowMs);
    return text.slice(0, longestText);
  }
}

/** The same words with other figures are the same notice. */
function kindOf(text: string): string {
  return text.replaceAll(/\d+/gu, "#").slice(0, 80);
}

import { shortLine, tailOf } from "#foundation/text/short-text";
import { stripAnsi } from "#foundation/text/text";
import type { ServerLog } from "../deps.ts";

const keptCharacters = 2_000;
const shownCharacters = 200;

/** Passes on what a server writes to its error stream and keeps the last line: most often why it did not start. */
export class LastWords implements ServerLog {
  readonly #log: ServerLog;
  #tail = "";

  constructor(log: ServerLog) {
    this.#log = log;
  }

  write(text: string): void {
    this.#log.write(text);
    this.#tail = tailOf(this.#tail + text, keptCharacters);
  }

  /** A clause to add to a reason; empty where it said nothing. */
  get clause(): string {
    const line = stripAnsi(this.#tail).trim().split("\n").at(-1) ?? "";
    const shown = shortLine(line.replace(/[\p{Cc}\p{Cf}]/gu, " "), shownCharacters);
    return shown === "" ? "" : `; it said: ${shown}`;
  }
}

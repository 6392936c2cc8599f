import type { SessionEvent } from "#session";
import type { CommandIo } from "../command.ts";

const tickMs = 1_000;
const usualColumns = 80;
const eraseLine = "\r\x1b[K";

/** What is being waited for, and since when; a wait whose end is known counts down to it. */
interface Wait {
  readonly text: string;
  readonly sinceMs: number;
  readonly untilMs?: number;
}

/**
 * One line on standard error that says what a question waits for, from the first second on. Only a terminal gets it, and it
 * is gone before anything else is written. While an answer stands half written on the screen there is no line.
 */
export class WaitLine implements Disposable {
  readonly #stream: CommandIo["stderr"];
  readonly #ticking: NodeJS.Timeout | undefined;
  #wait: Wait | undefined;
  #isShown = false;

  constructor({ stderr, env }: Pick<CommandIo, "stderr" | "env">) {
    this.#stream = stderr;
    if (stderr.isTTY === true && env["TERM"] !== "dumb")
      this.#ticking = setInterval(() => this.#draw(), tickMs).unref();
  }

  /** Takes the line away and notes what is waited for from here on. */
  note(event: SessionEvent): void {
    this.#erase();
    this.#wait = waitAfter(event, this.#wait);
  }

  #draw(): void {
    if (this.#wait === undefined) return;
    const columns = this.#stream.columns ?? usualColumns;
    this.#stream.write(`${eraseLine}${words(this.#wait, Date.now()).slice(0, columns - 1)}`);
    this.#isShown = true;
  }

  #erase(): void {
    if (this.#isShown) this.#stream.write(eraseLine);
    this.#isShown = false;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#ticking);
    this.#erase();
  }
}

function waitAfter(event: SessionEvent, before: Wait | undefined): Wait | undefined {
  const sinceMs = Date.now();
  switch (event.type) {
    case "turn-start":
      return { text: "Preparing the request", sinceMs };
    case "attempt-start":
      return { text: `Waiting for ${event.model}`, sinceMs };
    case "reasoning-delta":
      return before?.text === "Thinking" ? before : { text: "Thinking", sinceMs };
    case "tool-start":
      return { text: `Running ${event.name}`, sinceMs };
    case "recovery-start":
      return event.waitMs > 0 ? { text: "Trying again", sinceMs, untilMs: sinceMs + event.waitMs } : before;
    case "compression-start":
      return { text: "Summarizing the conversation", sinceMs };
    case "text-delta":
    case "turn-end":
      return undefined;
    default:
      return before;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a name from elsewhere cannot steer the terminal.
const controls = /[\x00-\x1f\x7f-\x9f]/g;

function words({ text, sinceMs, untilMs }: Wait, nowMs: number): string {
  const seconds = Math.max(0, Math.round(Math.abs(nowMs - (untilMs ?? sinceMs)) / 1_000));
  const time = untilMs === undefined ? ` · ${seconds} s` : ` in ${seconds} s`;
  return `… ${text.replace(controls, "")}${time} (Ctrl-C stops)`;
}

import type { TerminalInput } from "../input/key-event.ts";
import { createDecoder, type InputDecoder } from "../terminal/decode-input.ts";

export interface InputGateDeps {
  readonly isTty: boolean;
  readonly onInput: (input: TerminalInput) => void;
  /** A whole line, when there is no terminal to type keys on. */
  readonly onLine: (line: string) => void;
  /** Everything that arrived together was taken in. */
  readonly onChunkEnd: () => void;
}

/** Where bytes come in. Those that come before the decoder is loaded wait; those meant for another program are left alone. */
export class InputGate implements Disposable {
  readonly #deps: InputGateDeps;
  #decoder: InputDecoder | undefined;
  #waiting = "";
  /** Another program has the terminal. */
  isClosed = false;

  constructor(deps: InputGateDeps) {
    this.#deps = deps;
  }

  async load(): Promise<void> {
    if (!this.#deps.isTty) return;
    this.#decoder = await createDecoder(this.#deps.onInput);
    const typed = this.#waiting;
    this.#waiting = "";
    if (typed !== "") this.receive(typed);
  }

  receive(data: string): void {
    if (this.isClosed) return;
    if (!this.#deps.isTty) {
      this.#readLines(data);
      return;
    }
    if (this.#decoder === undefined) {
      this.#waiting += data;
      return;
    }
    this.#decoder.feed(data);
    this.#deps.onChunkEnd();
  }

  /** The last line may have no end. */
  finish(): void {
    if (!this.#deps.isTty && this.#waiting !== "") this.#readLines("\n");
  }

  [Symbol.dispose](): void {
    this.#decoder?.[Symbol.dispose]();
  }

  #readLines(data: string): void {
    const lines = (this.#waiting + data).split("\n");
    this.#waiting = lines.pop() ?? "";
    for (const line of lines) this.#deps.onLine(line);
    this.#deps.onChunkEnd();
  }
}

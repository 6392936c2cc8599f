import type { ReadStream, WriteStream } from "node:tty";
import { askForBackground, mayAskForBackground } from "./background.ts";
import type { TerminalListener, TuiTerminal } from "./terminal.ts";

const enable = {
  bracketedPaste: "\x1b[?2004h",
  /** Keys with modifiers are told apart where the terminal can (Kitty: pushed flags; xterm: modifyOtherKeys). */
  keyboard: "\x1b[>1u\x1b[>4;1m",
};
const disable = { bracketedPaste: "\x1b[?2004l", keyboard: "\x1b[<u\x1b[>4;0m" };

/** The terminal this process was started in. */
export class ProcessTerminal implements TuiTerminal {
  readonly #input: ReadStream;
  readonly #output: WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  #listener: TerminalListener | undefined;
  readonly #decoder = new TextDecoder();

  constructor(streams: { input: ReadStream; output: WriteStream }, env: Readonly<Record<string, string | undefined>>) {
    this.#input = streams.input;
    this.#output = streams.output;
    this.env = env;
  }

  get hasPerson(): boolean {
    return this.#input.isTTY === true && this.#output.isTTY === true;
  }

  get isTty(): boolean {
    // A dumb terminal can neither move its cursor nor take keys one by one: it is written to like a file.
    return this.hasPerson && this.env["TERM"] !== "dumb";
  }

  get columns(): number {
    return this.#output.columns || 80;
  }

  get rows(): number {
    return this.#output.rows || 24;
  }

  write(text: string): void {
    this.#output.write(text);
  }

  start(listener: TerminalListener): void {
    this.#listener = listener;
    if (this.isTty) this.#input.setRawMode(true);
    this.#input.on("data", this.#read);
    this.#input.on("end", listener.onEnd);
    this.#input.on("error", listener.onEnd);
    this.#input.resume();
    this.#output.on("resize", listener.onResize);
    const question = mayAskForBackground(this.env) ? askForBackground : "";
    if (this.isTty) this.#output.write(enable.bracketedPaste + enable.keyboard + question);
  }

  stop(): void {
    const listener = this.#listener;
    if (listener === undefined) return;
    this.#listener = undefined;
    if (this.isTty) this.#output.write(disable.keyboard + disable.bracketedPaste);
    this.#input.off("data", this.#read);
    this.#input.off("end", listener.onEnd);
    this.#input.off("error", listener.onEnd);
    this.#output.off("resize", listener.onResize);
    // Otherwise bytes still on their way would be read by the shell.
    this.#input.pause();
    if (this.isTty) this.#input.setRawMode(false);
  }

  async suspend(): Promise<void> {
    if (process.platform === "win32") return;
    const continued = new Promise<void>((resolve) => process.once("SIGCONT", () => resolve()));
    process.kill(process.pid, "SIGTSTP");
    await continued;
  }

  /** A character may be split over two reads. */
  readonly #read = (data: Buffer | string): void => {
    const text = typeof data === "string" ? data : this.#decoder.decode(data, { stream: true });
    if (text !== "") this.#listener?.onInput(text);
  };
}

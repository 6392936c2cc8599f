import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import { UserError } from "#foundation/errors";
import { nearest } from "#foundation/text/text";
import type { TerminalAsker } from "#tui";
import { type CommandIo, exitCodes } from "../command.ts";

export interface Choice<T> {
  readonly label: string;
  readonly value: T;
  /** Shown behind the label. */
  readonly detail?: string;
}

/** Questions at a terminal. Whoever opens it closes it, so that standard input is free again. */
export interface Asker extends Disposable {
  text(question: string, options?: { readonly usual?: string }): Promise<string>;
  /** What is typed is not shown. */
  secret(question: string): Promise<string>;
  confirm(question: string, usual: boolean): Promise<boolean>;
  /** By arrows and search; without keys by number, or by a part of the label. */
  choose<T>(question: string, choices: readonly Choice<T>[], usual?: number): Promise<T>;
}

export function isTerminal(io: CommandIo): boolean {
  return io.stdin.isTTY === true && io.stdout.isTTY === true;
}

export function openAsker(io: CommandIo): Asker {
  return readsKeys(io) ? new KeyAsker(io) : new LineAsker(io);
}

/** Whether keys can be read one by one and a list can be drawn. */
export function readsKeys(io: CommandIo): boolean {
  return isTerminal(io) && "setRawMode" in io.stdin && io.env["TERM"] !== "dumb";
}

/** Lists with arrows and search, secrets as dots. */
class KeyAsker implements Asker {
  readonly #io: CommandIo;

  constructor(io: CommandIo) {
    this.#io = io;
  }

  async text(question: string, options: { readonly usual?: string } = {}): Promise<string> {
    return answered(await (await keyQuestions(this.#io)).line(question, options));
  }

  async secret(question: string): Promise<string> {
    return answered(await (await keyQuestions(this.#io)).line(question, { isSecret: true }));
  }

  async confirm(question: string, usual: boolean): Promise<boolean> {
    const asker = await keyQuestions(this.#io);
    const items = [
      { label: "Yes", detail: "" },
      { label: "No", detail: "" },
    ];
    return answered(await asker.pick(question, items, usual ? 0 : 1)) === 0;
  }

  async choose<T>(question: string, choices: readonly Choice<T>[], usual = 0): Promise<T> {
    const asker = await keyQuestions(this.#io);
    const items = choices.map(({ label, detail = "" }) => ({ label, detail }));
    const chosen = choices[answered(await asker.pick(question, items, usual))];
    if (chosen === undefined) throw new Error("a choice that does not exist");
    return chosen.value;
  }

  [Symbol.dispose](): void {}
}

/** Every question takes the terminal for itself and gives it back: a login in between may use it too. */
export async function keyQuestions({ stdin, stdout, env, signal }: CommandIo): Promise<TerminalAsker> {
  const { openTerminalAsker, ProcessTerminal } = await import("#tui");
  const streams = { input: stdin as unknown as ReadStream, output: stdout as unknown as WriteStream };
  return openTerminalAsker(new ProcessTerminal(streams, env), signal);
}

function answered<T>(answer: T | undefined): T {
  if (answer === undefined) throw nothingAnswered();
  return answer;
}

function nothingAnswered(): UserError {
  return new UserError("Cancelled.", { code: "interrupted", exitCode: exitCodes.interrupted });
}

export interface Agreement {
  readonly io: CommandIo;
  readonly isYes: boolean;
  /** The flag that says yes in advance, where it is another one. */
  readonly flag?: "-y" | "-f";
}

/** A yes is needed: by its flag, or from somebody who types it. Nobody there means no. */
export async function agreed(question: string, options: Agreement) {
  if (options.isYes) return true;
  if (!isTerminal(options.io)) {
    throw new UserError("This needs a confirmation, and this is not a terminal.", {
      code: "confirmation_needed",
      exitCode: exitCodes.failed,
      hint: `Add ${options.flag ?? "-y"} to confirm.`,
    });
  }
  using asker = openAsker(options.io);
  return await asker.confirm(question, false);
}

class LineAsker implements Asker {
  readonly #io: CommandIo;
  readonly #lines: Interface;
  readonly #early: string[] = [];
  #waiting: ((line: string | undefined) => void) | undefined;
  #isEnded = false;
  /** Only an open question echoes: what is typed ahead may be the answer to one that must not. */
  #isMuted = true;

  constructor(io: CommandIo) {
    this.#io = io;
    const echo = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (!this.#isMuted) io.stdout.write(chunk);
        done();
      },
    });
    this.#lines = createInterface({ input: io.stdin, output: echo, terminal: io.stdin.isTTY === true, prompt: "" });
    this.#lines.on("line", (line) => {
      const take = this.#waiting;
      this.#waiting = undefined;
      if (take === undefined) this.#early.push(line);
      else take(line);
    });
    // Ctrl-C at a question leaves, as the end of input does.
    this.#lines.on("SIGINT", () => this.#lines.close());
    this.#lines.on("close", () => {
      this.#isEnded = true;
      this.#waiting?.(undefined);
    });
    io.signal.addEventListener("abort", this.#close);
  }

  async text(question: string, options: { readonly usual?: string } = {}): Promise<string> {
    const { usual } = options;
    const answer = await this.#answer(`${question}${usual === undefined || usual === "" ? "" : ` [${usual}]`}: `);
    return answer.trim() === "" ? (usual ?? "") : answer.trim();
  }

  async secret(question: string): Promise<string> {
    this.#io.stdout.write(`${question}: `);
    const answer = await this.#line();
    this.#io.stdout.write("\n");
    return answer.trim();
  }

  async confirm(question: string, usual: boolean): Promise<boolean> {
    for (;;) {
      const answer = (await this.#answer(`${question} [${usual ? "Y/n" : "y/N"}] `)).trim().toLowerCase();
      if (answer === "") return usual;
      if (["y", "yes"].includes(answer)) return true;
      if (["n", "no"].includes(answer)) return false;
    }
  }

  async choose<T>(question: string, choices: readonly Choice<T>[], usual?: number): Promise<T> {
    const width = String(choices.length).length;
    this.#io.stdout.write(`${question}\n`);
    for (const [index, { label, detail }] of choices.entries()) {
      const rest = detail === undefined || detail === "" ? "" : `  ${detail}`;
      this.#io.stdout.write(`  ${String(index + 1).padStart(width)}  ${label}${rest}\n`);
    }
    for (;;) {
      const mark = usual === undefined ? "" : ` [${usual + 1}]`;
      const answer = (await this.#answer(`Number or part of a name${mark}: `)).trim();
      const found = pick(answer, choices, usual);
      if (found !== undefined) return found.value;
      const meant = nearest(
        answer,
        choices.map((choice) => choice.label),
      );
      this.#io.stdout.write(`No match, or more than one.${meant === undefined ? "" : ` Did you mean ${meant}?`}\n`);
    }
  }

  [Symbol.dispose](): void {
    this.#io.signal.removeEventListener("abort", this.#close);
    this.#close();
  }

  readonly #close = (): void => {
    this.#lines.close();
  };

  async #answer(prompt: string): Promise<string> {
    this.#isMuted = false;
    this.#io.stdout.write(prompt);
    try {
      return await this.#line();
    } finally {
      this.#isMuted = true;
    }
  }

  async #line(): Promise<string> {
    const early = this.#early.shift();
    const line =
      early ??
      (this.#isEnded
        ? undefined
        : await new Promise<string | undefined>((resolve) => {
            this.#waiting = resolve;
          }));
    if (line !== undefined) return line;
    throw nothingAnswered();
  }
}

function pick<T>(answer: string, choices: readonly Choice<T>[], usual: number | undefined): Choice<T> | undefined {
  if (answer === "") return usual === undefined ? undefined : choices[usual];
  if (/^\d+$/.test(answer)) return choices[Number(answer) - 1];
  const wanted = answer.toLowerCase();
  const exact = choices.find((choice) => choice.label.toLowerCase() === wanted);
  const fitting = choices.filter((choice) => choice.label.toLowerCase().includes(wanted));
  return exact ?? (fitting.length === 1 ? fitting[0] : undefined);
}

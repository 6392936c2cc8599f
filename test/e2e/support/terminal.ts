import { type IPty, spawn } from "@lydell/node-pty";
import { onTestFailed } from "vitest";
import { TerminalScreen } from "../../fakes/terminal-screen.ts";
import { main, type Stage } from "./stage.ts";

const columns = 100;
const rows = 40;

/** The built program in a real pseudo-terminal; what it draws is read back from a terminal emulator, and shown when a test fails. */
export class ProgramTerminal implements AsyncDisposable {
  readonly exited: Promise<number>;
  readonly #pty: IPty;
  readonly #screen = new TerminalScreen({ columns, rows });
  readonly #waiting = new Set<() => void>();
  #hasExited = false;

  /** `command`: arguments of the program, or another program that is built with it. */
  constructor(
    stage: Stage,
    command: readonly string[] | { readonly script: string },
    env: Readonly<Record<string, string>> = {},
  ) {
    const line = "script" in command ? [command.script] : [main, ...command];
    this.#pty = spawn(process.execPath, line, {
      cols: columns,
      rows,
      cwd: stage.work,
      env: stage.environment({ TERM: "xterm-256color", ...env }),
    });
    this.#pty.onData((data) => {
      this.#screen.write(data);
      this.#wake();
    });
    this.exited = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode }) => {
        this.#hasExited = true;
        resolve(exitCode);
        this.#wake();
      });
    });
    onTestFailed(async () => {
      process.stderr.write(`${(await this.text()).trimEnd()}\n`);
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** Types words and sends them off. */
  async say(text: string): Promise<void> {
    this.#pty.write(text);
    await this.sees(text);
    this.#pty.write("\r");
  }

  press(keys: string): void {
    this.#pty.write(keys);
  }

  /** Answers a dialog as a person does: a letter, and Enter; each once the dialog listens. */
  async choose(letter: string): Promise<void> {
    await this.sees("Esc: no · a letter, then Enter");
    this.#pty.write(letter);
    await this.sees("Esc: no · Enter:");
    this.#pty.write("\r");
  }

  /** Every byte the program sent, what is no text included: titles, notifications. */
  get written(): string {
    return this.#screen.writes.join("");
  }

  /** Everything that stands in the terminal, what has scrolled away included. */
  async text(): Promise<string> {
    await this.#screen.settled();
    return this.#screen.all().join("\n");
  }

  /** Resolves when the words stand there and the prompt is free again: what is typed earlier would interrupt. */
  async answers(wanted: string | RegExp): Promise<string> {
    await this.sees(wanted);
    return await this.sees(/\n❯\s*\n─+\s*$/);
  }

  /** Resolves with the text as soon as it holds what is looked for. */
  async sees(wanted: string | RegExp): Promise<string> {
    for (;;) {
      const text = await this.text();
      if (typeof wanted === "string" ? text.includes(wanted) : wanted.test(text)) return text;
      if (this.#hasExited) throw new Error(`The program ended without showing ${String(wanted)}:\n${text}`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#hasExited) this.#pty.kill("SIGKILL");
    await this.exited;
  }
}

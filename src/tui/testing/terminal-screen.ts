import { createRequire } from "node:module";
import type { Terminal as HeadlessTerminal } from "@xterm/headless";
import { displayWidth } from "#foundation/text/width";
import type { TerminalListener, TuiTerminal } from "../terminal/terminal.ts";

// The package is CommonJS without named exports that Node could see.
const { Terminal } = createRequire(import.meta.url)("@xterm/headless") as typeof import("@xterm/headless");

export interface FakeScreenOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly isTty?: boolean;
}

/** A real terminal emulator in memory: what was written can be read back cell by cell. */
export class TerminalScreen implements TuiTerminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTty: boolean;
  readonly writes: string[] = [];
  isStarted = false;
  /** How often it was taken. */
  starts = 0;
  suspensions = 0;
  readonly #terminal: HeadlessTerminal;
  #listener: TerminalListener | undefined;

  constructor(options: FakeScreenOptions = {}) {
    this.env = options.env ?? { TERM: "xterm-256color", COLORTERM: "truecolor" };
    this.isTty = options.isTty ?? true;
    this.#terminal = new Terminal({
      cols: options.columns ?? 80,
      rows: options.rows ?? 30,
      scrollback: 50_000,
      allowProposedApi: true,
    });
    this.#useModernWidths();
  }

  get columns(): number {
    return this.#terminal.cols;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  write(text: string): void {
    this.writes.push(text);
    this.#terminal.write(text);
  }

  start(listener: TerminalListener): void {
    this.#listener = listener;
    this.isStarted = true;
    this.starts += 1;
  }

  stop(): void {
    this.#listener = undefined;
    this.isStarted = false;
  }

  suspend(): Promise<void> {
    this.suspensions += 1;
    return Promise.resolve();
  }

  type(data: string): void {
    this.#listener?.onInput(data);
  }

  end(): void {
    this.#listener?.onEnd();
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    this.#listener?.onResize();
  }

  /** Every byte written so far. */
  get bytes(): number {
    return this.writes.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  }

  /** Resolves when the emulator has taken in all that was written. */
  settled(): Promise<void> {
    return new Promise((resolve) => this.#terminal.write("", resolve));
  }

  /** The rows on the screen, from its top. */
  visible(): string[] {
    const { baseY } = this.#terminal.buffer.active;
    return Array.from({ length: this.rows }, (_, row) => this.#row(baseY + row));
  }

  /** Everything, with the scrollback. */
  all(): string[] {
    const { length } = this.#terminal.buffer.active;
    return Array.from({ length }, (_, row) => this.#row(row));
  }

  get cursor(): { readonly row: number; readonly column: number } {
    const { cursorY, cursorX } = this.#terminal.buffer.active;
    return { row: cursorY, column: cursorX };
  }

  #row(index: number): string {
    return this.#terminal.buffer.active.getLine(index)?.translateToString(true) ?? "";
  }

  /** The emulator's own table is of 2010, when an emoji was one column wide. */
  #useModernWidths(): void {
    const widthOf = (code: number): 0 | 1 | 2 => {
      if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return 0;
      if (code === 0xfe0f || code === 0x200d) return 0;
      const width = displayWidth(String.fromCodePoint(code));
      return width >= 2 ? 2 : width === 1 ? 1 : 0;
    };
    this.#terminal.unicode.register({
      version: "modern",
      wcwidth: widthOf,
      charProperties: (code, preceding) => {
        // A variation selector makes the character before it wide.
        const before = (preceding >> 1) & 3;
        if (code === 0xfe0f && before === 1) return (2 << 1) | 1;
        const width = widthOf(code);
        const joins = width === 0 && preceding !== 0;
        return ((joins ? before : width) << 1) | (joins ? 1 : 0);
      },
    });
    this.#terminal.unicode.activeVersion = "modern";
  }
}

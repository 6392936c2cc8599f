import { once } from "node:events";
import type { Invocation } from "../command.ts";
import { jsonDocument } from "./json.ts";
import { asStarted } from "./program-words.ts";
import { createStyle, type Style } from "./style.ts";
import { type Column, renderTable } from "./table.ts";

const usualWidth = 100;

/**
 * Where a command writes. It says its result twice, as a document and as lines; the person gets the one they asked
 * for, so that no command has to branch. Diagnostics go to standard error either way.
 */
export class Output {
  readonly style: Style;
  readonly isJson: boolean;
  readonly width: number;
  readonly #io: Invocation["io"];

  constructor({ io, global }: Pick<Invocation, "io" | "global">) {
    this.#io = io;
    this.isJson = global.isJson;
    this.style = createStyle(global.hasColor);
    this.width = io.stdout.columns ?? usualWidth;
  }

  /** With `--json`: the one document of the command. */
  document(fields: Readonly<Record<string, unknown>>): void {
    if (this.isJson) this.#io.stdout.write(jsonDocument(fields));
  }

  /** Without `--json`: one line. */
  line(text = ""): void {
    if (!this.isJson) this.#io.stdout.write(`${asStarted(text, this.#io.env)}\n`);
  }

  table(columns: readonly Column[], rows: readonly (readonly string[])[]): void {
    const [header = "", ...lines] = renderTable(columns, rows, this.width);
    this.line(this.style.bold(header));
    for (const line of lines) this.line(line);
  }

  heading(text: string): void {
    this.line(this.style.bold(text));
  }

  /** For people, whatever the format: warnings, progress. */
  note(text: string): void {
    this.#io.stderr.write(`${asStarted(text, this.#io.env)}\n`);
  }

  /** Text that is the result itself, such as an export. Waits for a slow reader. */
  async raw(text: string): Promise<void> {
    if (!this.#io.stdout.write(text)) await once(this.#io.stdout, "drain", { signal: this.#io.signal });
  }
}

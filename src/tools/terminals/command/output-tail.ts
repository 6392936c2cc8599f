import { sleep } from "#foundation/lifecycle/abort";
import { stripAnsi } from "#foundation/text/text";

const maxLines = 5;
const maxLineChars = 500;
const everyMs = 150;

/** The last lines of a running command, told as they come, not more often than an eye can follow. */
export class OutputTail implements Disposable {
  readonly #tell: (text: string) => void;
  readonly #done = new AbortController();
  #lines: readonly string[] = [];
  #open = "";
  #isTelling = false;

  constructor(tell: (text: string) => void) {
    this.#tell = tell;
  }

  add(text: string): void {
    const lines = (this.#open + text).split("\n");
    // What a carriage return overwrites is not read by anybody.
    this.#open = (lines.pop() ?? "").slice(-maxLineChars);
    this.#lines = [...this.#lines, ...lines.map(shownLine)].slice(-maxLines);
    if (!this.#isTelling) void this.#tellSoon();
  }

  [Symbol.dispose](): void {
    this.#done.abort();
  }

  async #tellSoon(): Promise<void> {
    this.#isTelling = true;
    try {
      await sleep(everyMs, this.#done.signal);
      const last = shownLine(this.#open);
      const lines = [...this.#lines, ...(last === "" ? [] : [last])].slice(-maxLines);
      if (lines.some((line) => line.trim() !== "")) this.#tell(`${lines.join("\n")}\n`);
    } catch {
      // The command has ended; its result says the rest.
    } finally {
      this.#isTelling = false;
    }
  }
}

function shownLine(line: string): string {
  return stripAnsi((line.replace(/\r+$/, "").split("\r").at(-1) ?? "").slice(0, maxLineChars));
}

import { stripAnsi } from "#foundation/text/text";

/** The longest output that is kept of one process, in characters. */
export const keptChars = 200_000;

/** What a shell without a terminal says before it does anything. */
const jobControlNoise = /^(?:[^\n]*(?:cannot set terminal process group|no job control in this shell)[^\n]*\n)+/;

/** The last part of an output. */
export class RollingText {
  #text = "";
  #isCut = false;

  push(more: string): void {
    this.#text += more;
    // Cut rarely, so that many small pieces do not each copy the whole.
    if (this.#text.length > keptChars * 2) this.#cut();
  }

  /** For people and models: without control sequences. */
  text(): string {
    if (this.#text.length > keptChars) this.#cut();
    const plain = stripAnsi(this.#text).replaceAll("\r\n", "\n");
    return this.#isCut ? plain : plain.replace(jobControlNoise, "");
  }

  tail(chars: number): string {
    return this.text().slice(-chars);
  }

  #cut(): void {
    const start = this.#text.length - keptChars;
    const code = this.#text.charCodeAt(start);
    this.#text = this.#text.slice(code >= 0xdc00 && code <= 0xdfff ? start + 1 : start);
    this.#isCut = true;
  }
}

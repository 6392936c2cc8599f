/**
 * What a service that hands a message over once, and is told nothing back, wrote to each of its connections. When a
 * connection has ended, the last of it may never have been read: nobody but the service had it.
 */
export class Handover<Line extends object> {
  readonly #open = new Map<Line, string[]>();
  readonly #over: (readonly string[])[] = [];

  wrote(line: Line, text: string): void {
    const texts = this.#open.get(line) ?? [];
    texts.push(text);
    this.#open.set(line, texts);
  }

  ended(line: Line): void {
    const texts = this.#open.get(line);
    if (texts !== undefined) this.#over.push(texts);
    this.#open.delete(line);
  }

  /** Of each connection that has ended what was written to it, oldest first. */
  over(): readonly (readonly string[])[] {
    return [...this.#over];
  }
}

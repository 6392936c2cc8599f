/** Text for listeners; what comes before the first one is kept for it. */
export class ListenedText {
  readonly #listeners: ((text: string) => void)[] = [];
  #early = "";

  push(text: string): void {
    if (text === "") return;
    if (this.#listeners.length === 0) this.#early += text;
    for (const listener of this.#listeners) listener(text);
  }

  listen(listener: (text: string) => void): void {
    this.#listeners.push(listener);
    const early = this.#early;
    this.#early = "";
    if (early !== "") listener(early);
  }
}

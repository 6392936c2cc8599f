const smallestSavingPct = 10;
const allowedInRow = 2;
const growthThatLifts = 1.2;

/** Notices when compressing no longer helps, and stops automatic compression until there is a reason to try again. */
export class Thrashing {
  #inRow = 0;
  #suspended: { readonly tokens: number; readonly model: string } | undefined;

  /** True when this one was the last straw: automatic compression is suspended from now on. */
  note(saved: { readonly savingsPct: number; readonly tokens: number; readonly model: string }): boolean {
    this.#inRow = saved.savingsPct < smallestSavingPct ? this.#inRow + 1 : 0;
    if (this.#inRow < allowedInRow) {
      if (this.#inRow === 0) this.#suspended = undefined;
      return false;
    }
    const isNew = this.#suspended === undefined;
    this.#suspended = { tokens: saved.tokens, model: saved.model };
    return isNew;
  }

  /** Whether an automatic compression should be left out; grown by a fifth or under another model it may run again. */
  blocks(now: { readonly tokens: number; readonly model: string }): boolean {
    const suspended = this.#suspended;
    if (suspended === undefined) return false;
    if (now.model === suspended.model && now.tokens < growthThatLifts * suspended.tokens) return true;
    this.reset();
    return false;
  }

  reset(): void {
    this.#inRow = 0;
    this.#suspended = undefined;
  }
}

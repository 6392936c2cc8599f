/** Ids that look like the providers' and are the same in every run, so that tests can write them down. */
export class IdSource {
  #next = 1;

  take(prefix: string): string {
    const id = `${prefix}${String(this.#next).padStart(24, "0")}`;
    this.#next += 1;
    return id;
  }
}

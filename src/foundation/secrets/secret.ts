import { inspect } from "node:util";

const mask = "***";

/**
 * A value that must not be seen. Every way of turning it into text gives `***`; reading it is an
 * explicit {@link Secret.reveal}, made only by the HTTP layer and the credential stores.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  get isEmpty(): boolean {
    return this.#value === "";
  }

  equals(other: Secret): boolean {
    return this.#value === other.#value;
  }

  toString(): string {
    return mask;
  }

  toJSON(): string {
    return mask;
  }

  [Symbol.toPrimitive](): string {
    return mask;
  }

  [inspect.custom](): string {
    return mask;
  }
}

/** A promise with its handles. The first settlement counts; later ones are ignored, as with any promise. */
export class Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T | PromiseLike<T>) => void;
  readonly reject: (reason: unknown) => void;
  #isSettled = false;

  constructor() {
    let take: ((value: T | PromiseLike<T>) => void) | undefined;
    let refuse: ((reason: unknown) => void) | undefined;
    this.promise = new Promise<T>((resolve, reject) => {
      take = resolve;
      refuse = reject;
    });
    this.resolve = (value) => {
      this.#isSettled = true;
      take?.(value);
    };
    this.reject = (reason) => {
      this.#isSettled = true;
      refuse?.(reason);
    };
  }

  /** True once `resolve` or `reject` was called. */
  get isSettled(): boolean {
    return this.#isSettled;
  }
}

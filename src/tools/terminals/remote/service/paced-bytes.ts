import { ReadableStream, type ReadableStreamDefaultController } from "node:stream/web";
import { Deferred } from "#foundation/lifecycle/deferred";

/** Bytes on their way to a reader who may be slower than they come, or leave. */
export class PacedBytes {
  readonly stream: ReadableStream<Uint8Array>;
  /** How many bytes have come. */
  position = 0;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #wanted = new Deferred<void>();
  #isOver = false;

  constructor() {
    this.stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#wake(),
      cancel: () => {
        this.#isOver = true;
        this.#wake();
      },
    });
  }

  /** No faster than they are read. */
  async push(bytes: Uint8Array): Promise<void> {
    if (bytes.length > 0 && !this.#isOver && (this.#controller?.desiredSize ?? 1) <= 0) {
      this.position += bytes.length;
      await this.#wanted.promise;
      if (!this.#isOver) this.#controller?.enqueue(bytes);
    } else this.offer(bytes);
  }

  /** At once, whoever reads. */
  offer(bytes: Uint8Array): void {
    this.position += bytes.length;
    if (bytes.length > 0 && !this.#isOver) this.#controller?.enqueue(bytes);
  }

  close(): void {
    if (!this.#isOver) this.#controller?.close();
    this.#isOver = true;
  }

  #wake(): void {
    this.#wanted.resolve();
    this.#wanted = new Deferred();
  }
}

import { HermesError } from "../errors.ts";
import type { HttpFailure } from "./failure.ts";

/** The body stopped coming, or there was too much of it. */
export class HttpBodyError extends HermesError {
  override readonly name = "HttpBodyError";
  readonly failure: HttpFailure;

  constructor(failure: HttpFailure) {
    super(failure.message, { code: "http_body", ...(failure.cause === undefined ? {} : { cause: failure.cause }) });
    this.failure = failure;
  }
}

export interface BodyOptions {
  readonly maxBytes: number;
  onChunk(): void;
  /** Called once, whichever way the body ends. */
  onEnd(): Promise<void>;
  toFailure(error: unknown): HttpFailure;
}

/** Reads a response body once, within a limit, and tells when it is over. */
export class BodyReader implements AsyncIterable<Uint8Array> {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #options: BodyOptions;
  #isOver = false;
  #bytes = 0;

  constructor(stream: ReadableStream<Uint8Array> | null, options: BodyOptions) {
    this.#reader = stream?.getReader();
    this.#options = options;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    try {
      for (;;) {
        const chunk = await this.#next();
        if (chunk === undefined) return;
        yield chunk;
      }
    } finally {
      await this.discard();
    }
  }

  async text(): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of this) text += decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  }

  async discard(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    // Cancelling a stream that already failed repeats its failure, which the reader has been told.
    await this.#reader?.cancel().catch(() => undefined);
    await this.#options.onEnd();
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#isOver || this.#reader === undefined) return undefined;
    const { done, value } = await this.#read(this.#reader);
    if (done || value === undefined) return undefined;
    this.#options.onChunk();
    this.#bytes += value.byteLength;
    if (this.#bytes <= this.#options.maxBytes) return value;
    throw new HttpBodyError({
      kind: "too-large",
      message: `the response is larger than ${this.#options.maxBytes} bytes`,
    });
  }

  async #read(
    reader: ReadableStreamDefaultReader<Uint8Array>,
  ): Promise<{ done: boolean; value?: Uint8Array | undefined }> {
    try {
      return await reader.read();
    } catch (error) {
      throw new HttpBodyError(this.#options.toFailure(error));
    }
  }
}

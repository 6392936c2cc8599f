import { defined } from "../defined.ts";
import { HermesError } from "../errors.ts";
import type { HttpAnswer } from "./answer.ts";
import type { HttpFailure } from "./failure.ts";

/** The body stopped coming, or there was too much of it. */
export class HttpBodyError extends HermesError {
  override readonly name = "HttpBodyError";
  readonly failure: HttpFailure;

  constructor(failure: HttpFailure) {
    super(failure.message, { code: "http_body", ...defined({ cause: failure.cause }) });
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
  readonly #answer: HttpAnswer;
  readonly #bytes: AsyncIterator<Uint8Array>;
  readonly #options: BodyOptions;
  #isOver = false;
  #isRead = false;
  #count = 0;

  constructor(answer: HttpAnswer, options: BodyOptions) {
    this.#answer = answer;
    this.#bytes = answer.body[Symbol.asyncIterator]();
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
    // Nothing is left to close when the body was read to its end.
    if (!this.#isRead) this.#answer.destroy();
    await this.#options.onEnd();
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#isOver) return undefined;
    const { done, value } = await this.#read();
    if (done === true) {
      this.#isRead = true;
      return undefined;
    }
    this.#options.onChunk();
    this.#count += value.byteLength;
    if (this.#count <= this.#options.maxBytes) return value;
    throw new HttpBodyError({
      kind: "too-large",
      message: `the response is larger than ${this.#options.maxBytes} bytes`,
    });
  }

  async #read(): Promise<IteratorResult<Uint8Array, void>> {
    try {
      return await this.#bytes.next();
    } catch (error) {
      throw new HttpBodyError(this.#options.toFailure(error));
    }
  }
}

import { ReadableStream, type ReadableStreamDefaultController } from "node:stream/web";
import { Deferred } from "#foundation/lifecycle/deferred";

/** Fetches a file of the sandbox, piece by piece. */
export type FetchFile = (file: string, take: (chunk: Buffer) => Promise<void>) => Promise<void>;

/** Reads the lines of a session back into the bytes of its program; see `session-script.ts`. */
export class SessionOutput {
  readonly #out: ByteStream;
  readonly #err: ByteStream;
  readonly #ready = new Deferred<void>();
  readonly #exit = new Deferred<number>();

  constructor(fetchFile: FetchFile) {
    this.#out = new ByteStream(fetchFile);
    this.#err = new ByteStream(fetchFile);
    this.#exit.promise.catch(() => undefined);
    this.#ready.promise.catch(() => undefined);
  }

  get out(): ReadableStream<Uint8Array> {
    return this.#out.stream;
  }

  get err(): ReadableStream<Uint8Array> {
    return this.#err.stream;
  }

  /** Input is taken from now on. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get exitCode(): Promise<number> {
    return this.#exit.promise;
  }

  stdout(text: string): void {
    for (const line of this.#out.lines(text)) this.#out.push(line);
  }

  stderr(text: string): void {
    for (const line of this.#err.lines(text)) {
      if (line === "!ready") this.#ready.resolve();
      else if (line.startsWith("=")) this.#exit.resolve(Number(line.slice(1)));
      else this.#err.push(line);
    }
  }

  /** Nothing more comes; what is still under way arrives first. */
  async close(error: unknown = new Error("the session ended")): Promise<void> {
    await Promise.all([this.#out.close(), this.#err.close()]);
    this.#exit.reject(error);
    this.#ready.reject(error);
  }
}

/** The bytes of one output, from lines that are base64 or name a file with the rest. */
class ByteStream {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #fetchFile: FetchFile;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #wanted = new Deferred<void>();
  #rest = "";
  #file: Promise<void> = Promise.resolve();
  #isCancelled = false;

  constructor(fetchFile: FetchFile) {
    this.#fetchFile = fetchFile;
    this.stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => {
        this.#wanted.resolve();
        this.#wanted = new Deferred();
      },
      cancel: () => {
        this.#isCancelled = true;
        this.#wanted.resolve();
      },
    });
  }

  /** The lines that are complete now. */
  lines(text: string): readonly string[] {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines;
  }

  push(line: string): void {
    if (line.startsWith("@")) this.#file = this.#fetchFile(line.slice(1), (chunk) => this.#give(chunk));
    else if (line !== "" && !this.#isCancelled) this.#controller?.enqueue(Buffer.from(line, "base64"));
  }

  async close(): Promise<void> {
    await this.#file.catch(() => undefined);
    if (!this.#isCancelled) this.#controller?.close();
    this.#isCancelled = true;
  }

  /** No faster than it is read. */
  async #give(chunk: Uint8Array): Promise<void> {
    if (!this.#isCancelled && (this.#controller?.desiredSize ?? 1) <= 0) await this.#wanted.promise;
    if (!this.#isCancelled) this.#controller?.enqueue(chunk);
  }
}

import type { ReadableStream } from "node:stream/web";
import { Deferred } from "#foundation/lifecycle/deferred";
import { PacedBytes } from "../remote/service/paced-bytes.ts";

/** Fetches a file of the sandbox, piece by piece. */
export type FetchFile = (file: string, take: (chunk: Buffer) => Promise<void>) => Promise<void>;

/** Reads the lines of a session back into the bytes of its program; see `session-script.ts`. */
export class SessionOutput {
  readonly #out: OutputLines;
  readonly #err: OutputLines;
  readonly #ready = new Deferred<void>();
  readonly #exit = new Deferred<number>();

  constructor(fetchFile: FetchFile) {
    this.#out = new OutputLines(fetchFile);
    this.#err = new OutputLines(fetchFile);
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
class OutputLines {
  readonly #bytes = new PacedBytes();
  readonly #fetchFile: FetchFile;
  #rest = "";
  #file: Promise<void> = Promise.resolve();

  constructor(fetchFile: FetchFile) {
    this.#fetchFile = fetchFile;
  }

  get stream(): ReadableStream<Uint8Array> {
    return this.#bytes.stream;
  }

  /** The lines that are complete now. */
  lines(text: string): readonly string[] {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines;
  }

  push(line: string): void {
    if (line.startsWith("@")) this.#file = this.#fetchFile(line.slice(1), (chunk) => this.#bytes.push(chunk));
    else this.#bytes.offer(Buffer.from(line, "base64"));
  }

  async close(): Promise<void> {
    await this.#file.catch(() => undefined);
    this.#bytes.close();
  }
}

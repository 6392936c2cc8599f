import type { Worker } from "node:worker_threads";
import { type Deadline, deadline, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { Mutex } from "#foundation/lifecycle/mutex";
import type { WorkerProgram } from "#foundation/process/worker-program";
import { type DocumentKind, documentKind, type FetchedDocument, type PageText, readAsIs } from "./document.ts";
import type { WorkerAnswer } from "./worker.ts";
import { findReaderProgram } from "./worker-location.ts";

export interface PageThreadOptions {
  readonly timeoutMs?: number;
  /** The thread ends after this long without work. */
  readonly idleMs?: number;
  readonly maxBytes?: Partial<Readonly<Record<DocumentKind, number>>>;
  readonly program?: () => Promise<WorkerProgram | undefined>;
}

const mostBytes: Readonly<Record<DocumentKind, number>> = {
  html: 10_000_000,
  pdf: 50_000_000,
  plain: 50_000_000,
  other: Number.POSITIVE_INFINITY,
};
const heapMegabytes = 768;

/**
 * Reads documents in a thread of its own, so that a large page never holds up the program.
 *
 * 1. One thread, started by the first document that needs it; documents wait for each other.
 * 2. A document that takes too long, or whose reader gave up, ends the thread: there is no other way to
 *    stop a parser. The next document starts a new one.
 * 3. It keeps the process alive only while a document is being read.
 */
export class PageThread implements AsyncDisposable {
  readonly #options: PageThreadOptions;
  readonly #turns = new Mutex();
  #worker: Worker | undefined;
  #idle: Deadline | undefined;

  constructor(options: PageThreadOptions = {}) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  readonly read = async (page: FetchedDocument, signal: AbortSignal): Promise<PageText> => {
    signal.throwIfAborted();
    const kind = documentKind(page);
    const limit = this.#options.maxBytes?.[kind] ?? mostBytes[kind];
    if (page.body.byteLength > limit)
      return { kind: "unreadable", reason: `the document is larger than ${limit} bytes` };
    if (kind === "plain" || kind === "other") return readAsIs(page, kind);
    return this.#turns.run(() => this.#readAside(page, signal), signal);
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }

  async #readAside(page: FetchedDocument, signal: AbortSignal): Promise<PageText> {
    const timeoutMs = this.#options.timeoutMs ?? 60_000;
    this.#idle?.[Symbol.dispose]();
    using limit = deadline(timeoutMs);
    try {
      const worker = this.#worker ?? (await this.#start());
      if (worker === undefined) return { kind: "unreadable", reason: "the program that reads pages is not installed" };
      const answer = await raceAbort(ask(worker, page), linkSignals(signal, limit.signal));
      if (answer.kind === "read") return answer.text;
      return { kind: "unreadable", reason: `the document could not be read (${answer.message.slice(0, 200)})` };
    } catch (error) {
      await this.#end();
      if (signal.aborted) throw signal.reason;
      if (!limit.signal.aborted && !(error instanceof ThreadLost)) throw error;
      const what = limit.signal.aborted ? `took longer than ${timeoutMs / 1000} s` : "needed too much memory";
      return { kind: "unreadable", reason: `reading the document ${what} and was stopped` };
    } finally {
      this.#rest();
    }
  }

  async #start(): Promise<Worker | undefined> {
    const program = await (this.#options.program ?? findReaderProgram)();
    if (program === undefined) return undefined;
    const source = program.kind === "file" ? program.path : program.text;
    const { Worker } = await import("node:worker_threads");
    const worker = new Worker(source, {
      eval: program.kind === "text",
      // Pages are strangers' work: the thread knows nothing worth telling.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    });
    worker.on("error", () => undefined);
    worker.once("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    this.#worker = worker;
    return worker;
  }

  #rest(): void {
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.unref();
    this.#idle = deadline(this.#options.idleMs ?? 30_000);
    this.#idle.signal.addEventListener("abort", () => void this.#end(), { once: true });
  }

  async #end(): Promise<void> {
    this.#idle?.[Symbol.dispose]();
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}

class ThreadLost extends Error {
  override readonly name = "ThreadLost";
}

/** One question to the thread; a thread that ends instead of answering rejects it. */
async function ask(worker: Worker, page: FetchedDocument): Promise<WorkerAnswer> {
  const answer = new Deferred<WorkerAnswer>();
  const lost = (): void => answer.reject(new ThreadLost("the reading thread has ended"));
  worker.ref();
  worker.once("message", answer.resolve);
  worker.once("exit", lost);
  try {
    worker.postMessage({ url: page.url, contentType: page.contentType, body: page.body });
    return await answer.promise;
  } finally {
    worker.off("message", answer.resolve);
    worker.off("exit", lost);
  }
}

import type { Worker } from "node:worker_threads";
import { HermesError, UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { deadline, onAbort, raceAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import type { WorkerProgram } from "#foundation/process/worker-program";
import { isRecord } from "#foundation/text/json";
import type { WorkInput, WorkName, WorkOutput } from "../work/table.ts";
import type { TaskInput, TaskName, TaskOutput } from "./tasks.ts";
import type { CarriedError, WorkerReply, WorkerRequest, WorkerStart } from "./worker-protocol.ts";

const closeTimeoutMs = 5_000;

export interface WorkerThreadOptions extends WorkerStart {
  readonly program: () => Promise<WorkerProgram | undefined>;
  readonly log: Logger;
}

/**
 * This side of the database thread. It is started by the first call, keeps the process alive only while
 * a call is open, and is started again by the next call should it ever die.
 */
export class WorkerThread implements AsyncDisposable {
  readonly #options: WorkerThreadOptions;
  readonly #calls = new Map<number, Deferred<unknown>>();
  #worker: Promise<Worker> | undefined;
  #nextId = 1;
  #isClosed = false;

  constructor(options: WorkerThreadOptions) {
    this.#options = options;
  }

  get isStarted(): boolean {
    return this.#worker !== undefined;
  }

  async work<N extends WorkName>(name: N, input: WorkInput<N>, signal: AbortSignal): Promise<WorkOutput<N>> {
    return (await this.#call(name, input, signal)) as WorkOutput<N>;
  }

  async task<N extends TaskName>(name: N, input: TaskInput<N>, signal: AbortSignal): Promise<TaskOutput<N>> {
    return (await this.#call(name, input, signal)) as TaskOutput<N>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const starting = this.#worker;
    if (starting === undefined) return;
    const worker = await starting.catch(() => undefined);
    if (worker === undefined) return;
    const gone = new Deferred<void>();
    worker.once("exit", () => gone.resolve());
    worker.ref();
    for (const id of this.#calls.keys()) worker.postMessage({ type: "abort", id } satisfies WorkerRequest);
    worker.postMessage({ type: "close" } satisfies WorkerRequest);
    using limit = deadline(closeTimeoutMs);
    await raceAbort(gone.promise, limit.signal).catch(() => worker.terminate());
  }

  async #call(name: WorkName | TaskName, input: unknown, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new HermesError("The store is closed.", { code: "store_closed" });
    this.#worker ??= this.#start();
    const worker = await this.#worker;
    const id = this.#nextId;
    this.#nextId += 1;
    const answer = new Deferred<unknown>();
    this.#calls.set(id, answer);
    worker.ref();
    using _listener = onAbort(signal, () => worker.postMessage({ type: "abort", id } satisfies WorkerRequest));
    worker.postMessage({ type: "call", id, name, input } satisfies WorkerRequest);
    try {
      return await raceAbort(answer.promise, signal);
    } finally {
      this.#calls.delete(id);
      if (this.#calls.size === 0) worker.unref();
    }
  }

  async #start(): Promise<Worker> {
    try {
      const program = await this.#options.program();
      if (program === undefined)
        throw new HermesError("The program of the database thread is missing.", { code: "store_worker_missing" });
      const { Worker } = await import("node:worker_threads");
      const start: WorkerStart = { path: this.#options.path };
      const worker =
        program.kind === "file"
          ? new Worker(program.path, { workerData: start })
          : new Worker(program.text, { workerData: start, eval: true });
      worker.on("message", (reply: WorkerReply) => this.#receive(reply));
      worker.on("error", (error) => this.#lost(error));
      worker.on("exit", () =>
        this.#lost(new HermesError("The database thread has ended.", { code: "store_worker_lost" })),
      );
      return worker;
    } catch (error) {
      this.#worker = undefined;
      throw error;
    }
  }

  #receive(reply: WorkerReply): void {
    switch (reply.type) {
      case "done":
        this.#calls.get(reply.id)?.resolve(reply.value);
        return;
      case "failed":
        this.#calls.get(reply.id)?.reject(uncarried(reply.error));
        return;
      case "log":
        this.#options.log[reply.level](reply.message, isRecord(reply.fields) ? reply.fields : undefined);
    }
  }

  #lost(error: unknown): void {
    this.#worker = undefined;
    for (const call of this.#calls.values()) call.reject(error);
    this.#calls.clear();
  }
}

function uncarried(error: CarriedError): Error {
  if (error.isForUser) return new UserError(error.message, { code: error.code, hint: error.hint });
  return new HermesError(error.message, { code: error.code ?? "store_work_failed", data: { stack: error.stack } });
}

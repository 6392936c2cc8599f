import type { Worker } from "node:worker_threads";
import { onAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { isRecord } from "#foundation/text/json";

/** What runs in the thread: it loads the handler once and answers one event after the other. */
const source = `const { parentPort, workerData } = require("node:worker_threads");
const loaded = import(workerData.address).then((all) => {
  const handle = all.handle ?? all.default?.handle ?? all.default;
  if (typeof handle !== "function") throw new Error("its module exports no handle function");
  return handle;
});
loaded.catch(() => undefined);
parentPort.on("message", async ({ number, event, context }) => {
  try {
    parentPort.postMessage({ number, answer: await (await loaded)(event, context) });
  } catch (error) {
    parentPort.postMessage({ number, error: String(error?.message ?? error) });
  }
});
`;

const endedText = "the thread of the hook has ended";

/**
 * A handler of a hook in a thread of its own. It sees none of the program's state and none of its environment, and one
 * that computes for ever holds up nothing: its thread is ended, and the next event gets another.
 */
export class HookThread implements AsyncDisposable {
  readonly #address: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #waiting = new Map<number, Deferred<unknown>>();
  #worker: Promise<Worker> | undefined;
  #generation = 0;
  #count = 0;

  constructor(address: string, env: Readonly<Record<string, string>>) {
    this.#address = address;
    this.#env = env;
  }

  async handle(event: string, context: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown> {
    this.#worker ??= this.#start();
    const worker = await this.#worker;
    this.#count += 1;
    const number = this.#count;
    const answer = new Deferred<unknown>();
    this.#waiting.set(number, answer);
    using _late = onAbort(signal, (reason) => {
      answer.reject(reason);
      void this.#end();
    });
    try {
      worker.postMessage({ number, event, context: structuredClone(context) });
      return await answer.promise;
    } finally {
      this.#waiting.delete(number);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }

  async #start(): Promise<Worker> {
    const { Worker } = await import("node:worker_threads");
    const worker = new Worker(source, { eval: true, workerData: { address: this.#address }, env: { ...this.#env } });
    const generation = this.#generation;
    const lost = (error: Error): void => {
      if (generation === this.#generation) this.#lose(error);
    };
    worker.unref();
    worker.on("message", (message: unknown) => this.#settle(message));
    worker.on("error", lost);
    worker.on("exit", () => lost(new Error(endedText)));
    return worker;
  }

  #settle(message: unknown): void {
    if (!isRecord(message) || typeof message["number"] !== "number") return;
    const waiting = this.#waiting.get(message["number"]);
    if (typeof message["error"] === "string") waiting?.reject(new Error(message["error"]));
    else waiting?.resolve(message["answer"]);
  }

  #lose(error: Error): void {
    this.#worker = undefined;
    this.#generation += 1;
    for (const waiting of this.#waiting.values()) waiting.reject(error);
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#lose(new Error(endedText));
    await (await worker)?.terminate();
  }
}

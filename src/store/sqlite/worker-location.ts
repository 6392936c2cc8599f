import { locateWorker, type WorkerProgram } from "#foundation/process/worker-program";

/** The program of the database thread. */
export function findWorkerProgram(moduleUrl: string = import.meta.url): Promise<WorkerProgram | undefined> {
  const built = ["./store-worker.cjs", "./worker.js", "./store/sqlite/worker.js", "./sqlite/worker.js"];
  return locateWorker({ moduleUrl, source: "./worker.ts", built });
}

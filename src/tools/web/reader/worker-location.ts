import { locateWorker, type WorkerProgram } from "#foundation/process/worker-program";

/** The program of the reading thread. */
export function findReaderProgram(moduleUrl: string = import.meta.url): Promise<WorkerProgram | undefined> {
  return locateWorker({ moduleUrl, source: "./worker.ts", built: ["./page-worker.cjs"] });
}

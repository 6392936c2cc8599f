import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { describe, HermesError, UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import { systemClock } from "#foundation/time/clock";
import { perform } from "../work/inline-work.ts";
import { type WorkName, workTable } from "../work/table.ts";
import { SqliteDatabase } from "./database.ts";
import { loadSqlite } from "./driver.ts";
import { openConnection } from "./open.ts";
import { performTask, type TaskContext, type TaskName, taskTable } from "./tasks.ts";
import type { CarriedError, WorkerReply, WorkerRequest, WorkerStart } from "./worker-protocol.ts";

/**
 * The thread for long work on the database file: its own connection, one job after another, so that
 * the thread people see is never held up. Waiting for a lock may stop this thread; nobody watches it.
 */
const busyTimeoutMs = 1_000;

async function main(port: MessagePort, start: WorkerStart): Promise<void> {
  const log = portLogger(port);
  const driver = await loadSqlite();
  const connection = await openConnection({
    path: start.path,
    driver,
    log,
    busyTimeoutMs,
    clock: systemClock,
    signal: never,
  });
  const db = new SqliteDatabase(connection, { clock: systemClock, signal: never });
  const knownWords = new Set<string>();
  const running = new Map<number, AbortController>();
  port.on("message", (request: WorkerRequest) => {
    if (request.type === "close") {
      connection[Symbol.dispose]();
      port.close();
      return;
    }
    if (request.type === "abort") {
      running.get(request.id)?.abort();
      return;
    }
    const controller = new AbortController();
    running.set(request.id, controller);
    void answer(port, request, {
      knownWords,
      db,
      log,
      clock: systemClock,
      path: start.path,
      signal: controller.signal,
    }).finally(() => running.delete(request.id));
  });
}

async function answer(
  port: MessagePort,
  request: WorkerRequest & { type: "call" },
  context: TaskContext,
): Promise<void> {
  const reply = (message: WorkerReply): void => port.postMessage(message);
  try {
    const value = await dispatch(context, request.name, request.input);
    reply({ type: "done", id: request.id, value });
  } catch (error) {
    reply({ type: "failed", id: request.id, error: carried(error) });
  }
}

/** The two sides are built together, so a name and its input fit; an unknown name is a bug. */
async function dispatch(context: TaskContext, name: string, input: unknown): Promise<unknown> {
  if (name in workTable) return await perform(context, name as WorkName, input as never);
  if (name in taskTable) return await performTask(context, name as TaskName, input as never);
  throw new HermesError(`The database thread knows no work called ${name}.`, { code: "internal" });
}

function carried(error: unknown): CarriedError {
  const base = { message: describe(error), stack: error instanceof Error ? error.stack : undefined };
  if (error instanceof UserError)
    return { ...base, message: error.message, code: error.code, hint: error.hint, isForUser: true };
  return { ...base, code: error instanceof HermesError ? error.code : undefined, isForUser: false };
}

function portLogger(port: MessagePort): Logger {
  const write = (level: "debug" | "info" | "warn" | "error") => (message: string, fields?: unknown) =>
    port.postMessage({ type: "log", level, message, fields } satisfies WorkerReply);
  const log: Logger = {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    child: () => log,
  };
  return log;
}

if (parentPort !== null) void main(parentPort, workerData as WorkerStart);

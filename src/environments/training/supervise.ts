import { createWriteStream } from "node:fs";
import { describe } from "#foundation/errors";
import { httpRequest } from "#foundation/http/request";
import { deadline, linkSignals, never, sleep } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { type ProcessExit, type ProcessHandle, spawnProcess } from "#foundation/process/run";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import { type PartName, partNames, type RunRecord, type RunRecords } from "./run-record.ts";

/** How one of the three programs of a run is started. */
export interface PartCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Supervision {
  readonly records: RunRecords;
  readonly parts: Readonly<Record<PartName, PartCommand>>;
  /** Where the model server of the trainer says that it is there; undefined: nobody knows. */
  readonly healthUrl: string | undefined;
  readonly clock: Clock;
}

const graceMs = 10_000;
const pollMs = 250;
/** So long each program is waited for at most; it may also come later, as long as it has not ended. */
const waitsMs = { api: 5_000, trainer: 30_000, server: 90_000 } as const;

/** Starts the programs of a run, watches them, and ends all of them when one has ended or the signal fires. */
export async function superviseRun(run: RunRecord, deps: Supervision, signal: AbortSignal): Promise<RunRecord> {
  const watch = new Watch(run, deps);
  try {
    await watch.start(signal);
    await watch.save({ status: "running" });
    const over = await Promise.race([watch.ended.promise, untilAborted(signal)]);
    if (over !== undefined) watch.judge(over);
  } catch (error) {
    if (!signal.aborted) watch.fail(describe(error));
  }
  await watch.stop();
  return watch.record;
}

interface EndedPart {
  readonly part: PartName;
  readonly exit: ProcessExit;
}

class Watch {
  record: RunRecord;
  readonly ended = new Deferred<EndedPart>();
  readonly #deps: Supervision;
  readonly #running = new Map<PartName, ProcessHandle>();
  readonly #states: Partial<Record<PartName, string>> = {};
  #outcome: Partial<RunRecord> = { status: "stopped" };

  constructor(record: RunRecord, deps: Supervision) {
    this.record = record;
    this.#deps = deps;
  }

  async start(signal: AbortSignal): Promise<void> {
    const { healthUrl } = this.#deps;
    await this.#open("api", signal);
    await this.#until(waitsMs.api, async (stop) => (await this.#ask("/info", stop)) !== undefined, signal);
    await this.#open("trainer", signal);
    const isRegistered = async (stop: AbortSignal): Promise<boolean> =>
      Number((await this.#ask("/info", stop))?.["batch_size"] ?? -1) > 0;
    await this.#until(waitsMs.trainer, isRegistered, signal);
    if (healthUrl !== undefined)
      await this.#until(waitsMs.server, async (stop) => (await answers(healthUrl, stop)) !== undefined, signal);
    await this.#open("env", signal);
  }

  /** What the end of one program means for the run. */
  judge({ part, exit }: EndedPart): void {
    if (exit.exitCode === 0 && part !== "api") this.#outcome = { status: "completed" };
    else this.fail(`${part} ended with ${exit.exitCode ?? exit.signal}; see ${this.record.logs[part]}`);
  }

  fail(error: string): void {
    this.#outcome = { status: "failed", error };
  }

  async save(change: Partial<RunRecord>): Promise<void> {
    this.record = { ...this.record, ...change, processes: { ...this.#states } };
    await this.#deps.records.write(this.record);
  }

  /** Nobody feeds a trainer that is gone: the environment goes first, the meeting point last. */
  async stop(): Promise<void> {
    await this.save({ status: "stopping" });
    for (const part of [...partNames].reverse()) await this.#running.get(part)?.kill({ graceMs });
    await this.save({ ...this.#outcome, ended_at: this.#deps.clock.now() });
  }

  async #open(part: PartName, signal: AbortSignal): Promise<void> {
    const { command, args, cwd, env } = this.#deps.parts[part];
    // Ending is the business of `stop`, in its order.
    const child = await spawnProcess(command, args, { cwd, env, signal: never, stdin: "ignore" });
    const log = createWriteStream(this.record.logs[part], { flags: "a", mode: 0o600 });
    for (const output of [child.stdout, child.stderr]) output.pipe(log, { end: false });
    this.#running.set(part, child);
    this.#states[part] = "running";
    void child.exited.then((exit) => {
      log.end();
      this.#states[part] = `exited (${exit.exitCode ?? exit.signal})`;
      this.ended.resolve({ part, exit });
    });
    await this.save({});
    signal.throwIfAborted();
  }

  /** Waits until it is ready, at most so long; one that has ended meanwhile ends the run. */
  async #until(mostMs: number, isReady: (stop: AbortSignal) => Promise<boolean>, signal: AbortSignal): Promise<void> {
    using limit = deadline(mostMs);
    const stop = linkSignals(signal, limit.signal);
    while (!stop.aborted) {
      const ended = await Promise.race([this.ended.promise, isReady(stop)]);
      if (ended === true) return;
      if (ended !== false) throw new Error(this.#early(ended));
      await sleep(pollMs, stop).catch(() => stop.aborted);
    }
    signal.throwIfAborted();
  }

  #early({ part, exit }: EndedPart): string {
    return `${part} ended early with ${exit.exitCode ?? exit.signal}; see ${this.record.logs[part]}`;
  }

  async #ask(route: string, signal: AbortSignal): Promise<Readonly<Record<string, unknown>> | undefined> {
    return await answers(`${this.record.api_url}${route}`, signal);
  }
}

/** The object that is answered there; an empty one where the answer is none; undefined when nobody answers. */
export async function answers(
  url: string,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const response = await httpRequest(url, { method: "GET", signal, timeoutMs: 2_000, maxBodyBytes: 65_536 });
  if (response.kind === "failure" || response.status >= 400) return undefined;
  const text = await response.text();
  const parsed = parseJson(text.kind === "failure" ? "" : text.text);
  return parsed.ok && isRecord(parsed.value) ? parsed.value : {};
}

async function untilAborted(signal: AbortSignal): Promise<undefined> {
  await sleep(Number.POSITIVE_INFINITY, signal).catch(() => signal.aborted);
  return undefined;
}

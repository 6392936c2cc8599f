import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import { quietly } from "#foundation/files/quietly";
import { linkSignals } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import { type Fence, LeaseLostError, leaseOwner, type Store, takeLease } from "#store";
import type { JobEnd } from "../job.ts";
import type { CronJobs } from "../jobs.ts";
import type { Deliverer } from "./delivery.ts";
import { deliveredText, finishRun, owedFor } from "./finish.ts";
import { type Taken, takeOccurrence } from "./occurrence.ts";
import { saveOutput } from "./output-files.ts";
import { type JobOutcome, type RunJobDeps, runJob } from "./run-job.ts";

export interface SchedulerDeps {
  readonly store: Store;
  readonly jobs: CronJobs;
  readonly home: HermesHome;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly run: RunJobDeps;
  /** Undefined: answers only go to files. */
  readonly deliverer: Deliverer | undefined;
  readonly settings: {
    /** Undefined: no limit. */
    readonly maxParallel: number | undefined;
    readonly retriesAfterCrash: boolean | undefined;
    readonly wraps: boolean;
  };
  /** A run has ended. */
  onEnd?(taken: Taken, outcome: JobOutcome): void;
}

const longestLookMs = 20_000;
const shortestLookMs = 500;
const heartbeatMs = 10_000;
const keptMs = 30 * 86_400_000;

/**
 * Runs jobs when they are due. Any number of these may work on one store: a job belongs to whoever holds its lease, and
 * an occurrence to whoever wrote its row.
 */
export class Scheduler {
  readonly #deps: SchedulerDeps;
  readonly #running = new Map<string, Promise<void>>();
  #prunedAtMs = 0;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
  }

  /** Looks for what is due until the signal, then waits for what it runs; that stops with the signal, too. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#deps;
    while (!signal.aborted) {
      await quietly("looking for jobs that are due", () => this.start(signal), { logger, level: "error" });
      const waitMs = await this.#untilNext().catch(() => longestLookMs);
      await clock.sleep(waitMs, signal).catch(() => undefined);
    }
    await Promise.all(this.#running.values());
  }

  /** Starts what is due and waits for it. How many runs there were. */
  async tick(signal: AbortSignal): Promise<number> {
    const count = await this.start(signal);
    await Promise.all(this.#running.values());
    return count;
  }

  /** Starts what is due, or was left by a program that ended. */
  async start(signal: AbortSignal): Promise<number> {
    const { store, clock, jobs, settings } = this.#deps;
    const nowMs = clock.now();
    // Jobs of an older home count from the first look on.
    await jobs.list();
    await this.#prune(nowMs);
    const left = (await store.jobs.unfinishedRuns(nowMs + 1)).map(({ jobId }) => jobId);
    const due = (await store.jobs.due(nowMs)).map(({ id }) => id);
    let started = 0;
    for (const jobId of new Set([...left, ...due])) {
      if (signal.aborted || this.#running.size >= (settings.maxParallel ?? Number.POSITIVE_INFINITY)) break;
      if (this.#running.has(jobId)) continue;
      started += 1;
      const running = this.#serve(jobId, signal).finally(() => this.#running.delete(jobId));
      this.#running.set(jobId, running);
    }
    return started;
  }

  async #serve(jobId: string, signal: AbortSignal): Promise<void> {
    const { logger } = this.#deps;
    try {
      await this.#serveOnce(jobId, signal);
    } catch (error) {
      if (error instanceof LeaseLostError) logger.warn("another program runs this job now", { jobId });
      else if (!signal.aborted) logger.error("a job could not be run", { jobId, error: describe(error) });
    }
  }

  async #serveOnce(jobId: string, signal: AbortSignal): Promise<void> {
    const { store, clock, logger, jobs, settings } = this.#deps;
    const owner = leaseOwner();
    const lost = new AbortController();
    const lease = await takeLease({ store, clock, logger, owner }, `cron:${jobId}`, () => lost.abort());
    if (lease.kind === "busy") return;
    await using _held = lease;
    const { fence } = lease;
    // Without a fence nothing keeps another program from running the same.
    if (fence === undefined) return;
    const taken = await store.transaction(
      (tx) =>
        takeOccurrence(tx, {
          jobId,
          nowMs: clock.now(),
          owner,
          retriesAfterCrash: settings.retriesAfterCrash,
          zoneOf: (job) => jobs.zoneOf(job),
        }),
      { fence, isDurable: true },
    );
    if (taken === undefined) return;
    const ended = new AbortController();
    const beating = this.#beat(taken, ended.signal);
    try {
      await this.#perform(taken, { fence, stopping: signal }, linkSignals(signal, lost.signal));
    } finally {
      ended.abort();
      await beating;
    }
  }

  async #perform(
    taken: Taken,
    { fence, stopping }: { readonly fence: Fence; readonly stopping: AbortSignal },
    signal: AbortSignal,
  ): Promise<void> {
    const { store, logger, deliverer, settings } = this.#deps;
    const { job, run } = taken;
    logger.info("a job runs", { jobId: job.id, name: job.name, attempt: run.attempt });
    let outcome: JobOutcome;
    try {
      outcome = await runJob(job, this.#deps.run, signal);
    } catch (error) {
      // A one-shot is left as a crash would leave it: the next start tries it again.
      if (stopping.aborted && job.schedule.kind !== "once")
        await store.transaction(
          (tx) => tx.jobs.finish(run.id, { state: "abandoned", error: "Hermes was stopped during this run." }),
          { fence },
        );
      throw error;
    }
    const { rows, problems } = await owedFor({ job, run, outcome }, { deliverer, wraps: settings.wraps });
    const outputFile = await this.#save(taken, outcome);
    const end: JobEnd = {
      atMs: this.#deps.clock.now(),
      status: outcome.kind === "failed" ? "error" : "ok",
      error: outcome.kind === "failed" ? outcome.error : undefined,
      deliveryError: problems.length === 0 ? undefined : problems.join(" "),
    };
    await store.transaction((tx) => finishRun(tx, { run, end, rows, outputFile }), { fence, isDurable: true });
    this.#deps.onEnd?.(taken, outcome);
  }

  async #save({ job, run }: Taken, outcome: JobOutcome): Promise<string | undefined> {
    if (outcome.kind === "asleep") return undefined;
    const { home, logger, jobs } = this.#deps;
    const text = outcome.kind === "answered" ? outcome.text : (deliveredText(outcome) ?? "");
    const model = outcome.kind === "answered" ? outcome.model : undefined;
    const output = { job, atMs: run.startedAtMs, zone: jobs.zoneOf(job), text, model };
    return await quietly("saving the output of a job", () => saveOutput(home, output), { logger, level: "error" });
  }

  async #beat({ run }: Taken, signal: AbortSignal): Promise<void> {
    const { store, clock, logger } = this.#deps;
    while (!signal.aborted) {
      await clock.sleep(heartbeatMs, signal).catch(() => undefined);
      if (!signal.aborted)
        await quietly("saying that a job still runs", () => store.jobs.heartbeat(run.id), { logger });
    }
  }

  async #untilNext(): Promise<number> {
    const { clock, jobs } = this.#deps;
    const times = (await jobs.list()).flatMap(({ isEnabled, nextRunAtMs }) => (isEnabled ? (nextRunAtMs ?? []) : []));
    const nextMs = Math.min(...times.filter((atMs) => atMs > clock.now()), clock.now() + longestLookMs);
    return Math.max(shortestLookMs, nextMs - clock.now());
  }

  /** Runs and finished jobs are remembered for thirty days. */
  async #prune(nowMs: number): Promise<void> {
    if (nowMs - this.#prunedAtMs < 86_400_000) return;
    this.#prunedAtMs = nowMs;
    const { store, jobs } = this.#deps;
    await store.jobs.pruneRuns(nowMs - keptMs);
    for (const job of await jobs.list({ all: true }))
      if (job.state === "completed" && job.updatedAtMs < nowMs - keptMs) await store.jobs.remove(job.id);
  }
}

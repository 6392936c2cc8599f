import type { Aggregates, JobRun } from "#store";
import { fromRecord, type Job, toRecord } from "../job.ts";
import { nextRun } from "../schedule/next-run.ts";
import type { Zone } from "../schedule/zone.ts";

export interface TakeOptions {
  readonly jobId: string;
  readonly nowMs: number;
  readonly owner: string;
  /** `cron.retry_on_crash`; undefined: only jobs that run once. */
  readonly retriesAfterCrash: boolean | undefined;
  zoneOf(job: Job): Zone;
}

export interface Taken {
  readonly job: Job;
  readonly run: JobRun;
}

const mostAttempts = 3;
const mostCounted = 1000;
const leastGraceMs = 120_000;
const mostGraceMs = 7_200_000;

/**
 * Takes the occurrence of a job that is to run now, if there is one. Whoever calls this holds the lease of the job, so a
 * run that counts as running was left by a program that ended.
 *
 * 1. One row per occurrence; a second taker finds it there.
 * 2. A recurring job's next time moves in this transaction, before anything runs: a crash repeats nothing. What a crash
 *    cut off is `abandoned`, unless it may be tried again.
 * 3. A one-shot stays due until it has ended; after three attempts it is given up.
 * 4. An occurrence that comes too late is `skipped`, and so is every other one before now.
 */
export async function takeOccurrence(tx: Aggregates, options: TakeOptions): Promise<Taken | undefined> {
  const { jobId, nowMs } = options;
  const record = await tx.jobs.get(jobId);
  const job = record === undefined ? undefined : fromRecord(record);
  const left = (await tx.jobs.runs(jobId, { limit: 20 })).filter(({ state }) => state === "running");
  for (const run of left) {
    const again = job === undefined ? undefined : await tryAgain(tx, { job, run }, options);
    if (again !== undefined) return again;
    await tx.jobs.finish(run.id, { state: "abandoned", error: "The program ended during this run." });
    if (job?.schedule.kind === "once") return void (await giveUp(tx, job, nowMs));
    // It was the last one of its repetitions.
    if (job?.isEnabled === true && job.nextRunAtMs === undefined)
      await tx.jobs.put(toRecord({ ...job, ...done, updatedAtMs: nowMs }));
  }
  if (job === undefined || !job.isEnabled || job.nextRunAtMs === undefined || job.nextRunAtMs > nowMs) return undefined;
  return await takeDue(tx, { ...job, nextRunAtMs: job.nextRunAtMs }, options);
}

async function tryAgain(
  tx: Aggregates,
  { job, run }: Taken,
  { nowMs, owner, retriesAfterCrash }: TakeOptions,
): Promise<Taken | undefined> {
  const mayRetry = retriesAfterCrash ?? job.schedule.kind === "once";
  if (!mayRetry || !job.isEnabled || run.attempt >= mostAttempts) return undefined;
  const { scheduledForMs } = run;
  // Nobody else has it, whenever it was last heard of: the lease of the job says so.
  const retryIfSilentSinceMs = Math.max(nowMs, run.heartbeatAtMs) + 1;
  const claim = await tx.jobs.claim({ jobId: job.id, scheduledForMs, owner, retryIfSilentSinceMs });
  return claim.kind === "claimed" ? { job, run: claim.run } : undefined;
}

async function takeDue(
  tx: Aggregates,
  job: Job & { readonly nextRunAtMs: number },
  { nowMs, owner, zoneOf }: TakeOptions,
): Promise<Taken | undefined> {
  const scheduledForMs = job.nextRunAtMs;
  const zone = zoneOf(job);
  const isOnce = job.schedule.kind === "once";
  const after = (afterMs: number) => nextRun(job.schedule, { afterMs, anchorMs: scheduledForMs, zone });
  const claim = await tx.jobs.claim({ jobId: job.id, scheduledForMs, owner });
  const isLate = !isOnce && nowMs - scheduledForMs > graceMs(scheduledForMs, await after(scheduledForMs));
  const isTaken = claim.kind === "taken";
  const completed = job.repeat.completed + (isLate || isTaken ? 0 : 1);
  const isLast = job.repeat.times !== null && completed >= job.repeat.times;
  const nextRunAtMs = isOnce ? (isTaken ? undefined : scheduledForMs) : isLast ? undefined : await after(nowMs);
  const repeat = { ...job.repeat, completed: isOnce ? job.repeat.completed : completed };
  await tx.jobs.put(
    toRecord({
      ...job,
      nextRunAtMs,
      repeat,
      updatedAtMs: nowMs,
      ...(nextRunAtMs === undefined && (isOnce || isTaken) ? done : {}),
    }),
  );
  if (isTaken) return undefined;
  if (!isLate) return { job: { ...job, nextRunAtMs, repeat } as Job, run: claim.run };
  const missed = await countBetween(after, { fromMs: scheduledForMs, toMs: nowMs });
  const error = `Missed: no scheduler was running at that time${missed > 1 ? ` (${missed} runs)` : ""}.`;
  await tx.jobs.finish(claim.run.id, { state: "skipped", error, details: { missed, lateMs: nowMs - scheduledForMs } });
  return undefined;
}

const done = { isEnabled: false, state: "completed" } as const;

async function giveUp(tx: Aggregates, job: Job, nowMs: number): Promise<void> {
  const last = { atMs: nowMs, status: "error", error: "The program ended during the run, three times." } as const;
  await tx.jobs.put(
    toRecord({ ...job, last, isEnabled: false, state: "error", nextRunAtMs: undefined, updatedAtMs: nowMs }),
  );
}

/** How late a run may begin: half the time to the next one, at least two minutes, at most two hours. */
function graceMs(scheduledForMs: number, nextMs: number | undefined): number {
  const halfMs = nextMs === undefined ? mostGraceMs : (nextMs - scheduledForMs) / 2;
  return Math.min(mostGraceMs, Math.max(leastGraceMs, halfMs));
}

async function countBetween(
  after: (afterMs: number) => Promise<number | undefined>,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<number> {
  let count = 1;
  for (let atMs = await after(fromMs); atMs !== undefined && atMs <= toMs && count < mostCounted; count += 1)
    atMs = await after(atMs);
  return count;
}

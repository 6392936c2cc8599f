import { defined } from "#foundation/defined";
import type { Aggregates, JobRun, NewOutboxEntry } from "#store";
import { fromRecord, type Job, type JobEnd, toRecord } from "../job.ts";
import { type Deliverer, targetsOf, wrapped } from "./delivery.ts";
import type { JobOutcome } from "./run-job.ts";

export interface Ending {
  readonly run: JobRun;
  readonly end: JobEnd;
  readonly rows: readonly NewOutboxEntry[];
  readonly outputFile: string | undefined;
}

/** What is owed for an outcome, and to whom it could not be. Silence owes nothing; a failure is always told. */
export async function owedFor(
  { job, run, outcome }: { readonly job: Job; readonly run: JobRun; readonly outcome: JobOutcome },
  { deliverer, wraps }: { readonly deliverer: Deliverer | undefined; readonly wraps: boolean },
): Promise<{ readonly rows: readonly NewOutboxEntry[]; readonly problems: readonly string[] }> {
  const text = deliveredText(outcome);
  if (text === undefined) return { rows: [], problems: [] };
  const shown = wraps ? wrapped(job, text) : text;
  const rows: NewOutboxEntry[] = [];
  const problems: string[] = [];
  for (const [index, target] of targetsOf(job).entries()) {
    const answer = { text: shown, key: `cron:${run.jobId}:${run.scheduledForMs}:${index}` };
    const made = deliverer === undefined ? "No chat platform is set up." : await deliverer.rows(target, answer);
    if (typeof made === "string") problems.push(made);
    else rows.push(...made);
  }
  return { rows, problems };
}

/** Everything a run leaves, in one transaction: its final state, what is owed for it, and what the job says of it. */
export async function finishRun(tx: Aggregates, { run, end, rows, outputFile }: Ending): Promise<void> {
  const state = end.status;
  const details = { deliveryError: end.deliveryError, owed: rows.length, outputFile };
  await tx.jobs.finish(run.id, { state, details, ...defined({ error: end.error }) });
  if (rows.length > 0) await tx.outbox.owe(rows);
  const record = await tx.jobs.get(run.jobId);
  const job = record === undefined ? undefined : fromRecord(record);
  if (job === undefined) return;
  // An edit during the run may have given a one-shot another time: then it is not over.
  const isOver = job.schedule.kind === "once" ? job.nextRunAtMs === run.scheduledForMs : job.nextRunAtMs === undefined;
  const over = { isEnabled: false, state: "completed", nextRunAtMs: undefined } as const;
  const repeat = job.schedule.kind === "once" ? { ...job.repeat, completed: 1 } : job.repeat;
  await tx.jobs.put(toRecord({ ...job, last: end, repeat, updatedAtMs: end.atMs, ...(isOver ? over : {}) }));
}

/** What the reader gets; undefined when there is nothing to tell. */
export function deliveredText(outcome: JobOutcome): string | undefined {
  if (outcome.kind === "asleep") return undefined;
  if (outcome.kind === "failed")
    return [`This job failed: ${outcome.error}`, outcome.text].filter(Boolean).join("\n\n");
  if (outcome.isSilent) return undefined;
  return [outcome.text, ...outcome.notices.map((notice) => `! ${notice}`)].join("\n\n");
}

import { isRecord } from "#foundation/text/json";
import type { Database, Row } from "../database.ts";
import type { JobClaim, JobClaimOptions, JobRecord, JobRun, JobRunState, JobState } from "../records/job.ts";
import { flag, json, jsonOrNull, maybeNumber, maybeText, number, orNull, text } from "../row.ts";
import type { Jobs } from "../store.ts";
import type { RepositoryContext } from "./context.ts";
import { deleteInBatches } from "./queues.ts";

const defaultRuns = 50;

export class JobRepository implements Jobs {
  readonly #context: RepositoryContext;

  constructor(context: RepositoryContext) {
    this.#context = context;
  }

  async put(job: JobRecord): Promise<void> {
    await this.#context.db.run(
      `INSERT INTO cron_job (id, name, enabled, state, next_run_at_ms, definition, created_at_ms, updated_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET name = excluded.name, enabled = excluded.enabled, state = excluded.state,
         next_run_at_ms = excluded.next_run_at_ms, definition = excluded.definition,
         updated_at_ms = excluded.updated_at_ms`,
      [
        job.id,
        job.name,
        job.isEnabled ? 1 : 0,
        job.state,
        orNull(job.nextRunAtMs),
        JSON.stringify(job.definition),
        job.createdAtMs,
        job.updatedAtMs,
      ],
    );
  }

  async get(id: string): Promise<JobRecord | undefined> {
    const row = await this.#context.db.get("SELECT * FROM cron_job WHERE id = ?", [id]);
    return row === undefined ? undefined : toJob(row);
  }

  async list(): Promise<readonly JobRecord[]> {
    return (await this.#context.db.all("SELECT * FROM cron_job ORDER BY created_at_ms, id")).map(toJob);
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#context.db.run("DELETE FROM cron_job WHERE id = ?", [id])) === 1;
  }

  async due(nowMs: number): Promise<readonly JobRecord[]> {
    const rows = await this.#context.db.all(
      "SELECT * FROM cron_job WHERE enabled = 1 AND next_run_at_ms <= ? ORDER BY next_run_at_ms, id",
      [nowMs],
    );
    return rows.map(toJob);
  }

  async claim(options: JobClaimOptions): Promise<JobClaim> {
    return await this.#context.db.transaction(async (tx): Promise<JobClaim> => {
      const run = (await this.#firstAttempt(tx, options)) ?? (await this.#nextAttempt(tx, options));
      if (run === undefined) {
        const row = await tx.get("SELECT state FROM cron_run WHERE job_id = ? AND scheduled_for_ms = ?", [
          options.jobId,
          options.scheduledForMs,
        ]);
        return { kind: "taken", state: row === undefined ? "skipped" : (text(row, "state") as JobRunState) };
      }
      if (options.nextRunAtMs !== undefined)
        await tx.run("UPDATE cron_job SET next_run_at_ms = ?, updated_at_ms = ? WHERE id = ?", [
          options.nextRunAtMs,
          this.#context.clock.now(),
          options.jobId,
        ]);
      return { kind: "claimed", run };
    });
  }

  async heartbeat(runId: number): Promise<boolean> {
    const changed = await this.#context.db.run(
      "UPDATE cron_run SET heartbeat_at_ms = ? WHERE id = ? AND state = 'running'",
      [this.#context.clock.now(), runId],
    );
    return changed === 1;
  }

  async finish(
    runId: number,
    outcome: { state: Exclude<JobRunState, "running">; error?: string; details?: unknown },
  ): Promise<void> {
    await this.#context.db.run(
      "UPDATE cron_run SET state = ?, ended_at_ms = ?, error = ?, details = ? WHERE id = ? AND state = 'running'",
      [outcome.state, this.#context.clock.now(), orNull(outcome.error), jsonOrNull(outcome.details), runId],
    );
  }

  async runs(jobId: string, options: { limit?: number } = {}): Promise<readonly JobRun[]> {
    const rows = await this.#context.db.all(
      "SELECT * FROM cron_run WHERE job_id = ? ORDER BY scheduled_for_ms DESC LIMIT ?",
      [jobId, options.limit ?? defaultRuns],
    );
    return rows.map(toRun);
  }

  async unfinishedRuns(silentSinceMs: number): Promise<readonly JobRun[]> {
    const rows = await this.#context.db.all(
      "SELECT * FROM cron_run WHERE state = 'running' AND heartbeat_at_ms < ? ORDER BY heartbeat_at_ms",
      [silentSinceMs],
    );
    return rows.map(toRun);
  }

  async pruneRuns(olderThanMs: number): Promise<number> {
    return await deleteInBatches(this.#context.db, "cron_run", {
      where: "state <> 'running' AND ended_at_ms < ?",
      params: [olderThanMs],
    });
  }

  async #firstAttempt(tx: Database, options: JobClaimOptions): Promise<JobRun | undefined> {
    const nowMs = this.#context.clock.now();
    const row = await tx.get(
      `INSERT INTO cron_run (job_id, scheduled_for_ms, state, attempt, owner, started_at_ms, heartbeat_at_ms)
       VALUES (?, ?, 'running', 1, ?, ?, ?) ON CONFLICT (job_id, scheduled_for_ms) DO NOTHING RETURNING *`,
      [options.jobId, options.scheduledForMs, options.owner, nowMs, nowMs],
    );
    return row === undefined ? undefined : toRun(row);
  }

  async #nextAttempt(tx: Database, options: JobClaimOptions): Promise<JobRun | undefined> {
    if (options.retryIfSilentSinceMs === undefined) return undefined;
    const nowMs = this.#context.clock.now();
    const row = await tx.get(
      `UPDATE cron_run SET attempt = attempt + 1, owner = ?, started_at_ms = ?, heartbeat_at_ms = ?
       WHERE job_id = ? AND scheduled_for_ms = ? AND state = 'running' AND heartbeat_at_ms < ? RETURNING *`,
      [options.owner, nowMs, nowMs, options.jobId, options.scheduledForMs, options.retryIfSilentSinceMs],
    );
    return row === undefined ? undefined : toRun(row);
  }
}

function toJob(row: Row): JobRecord {
  const definition = json(row, "definition");
  return {
    id: text(row, "id"),
    name: text(row, "name"),
    isEnabled: flag(row, "enabled"),
    state: text(row, "state") as JobState,
    nextRunAtMs: maybeNumber(row, "next_run_at_ms"),
    definition: isRecord(definition) ? definition : {},
    createdAtMs: number(row, "created_at_ms"),
    updatedAtMs: number(row, "updated_at_ms"),
  };
}

function toRun(row: Row): JobRun {
  return {
    id: number(row, "id"),
    jobId: text(row, "job_id"),
    scheduledForMs: number(row, "scheduled_for_ms"),
    state: text(row, "state") as JobRunState,
    attempt: number(row, "attempt"),
    owner: maybeText(row, "owner"),
    startedAtMs: number(row, "started_at_ms"),
    heartbeatAtMs: number(row, "heartbeat_at_ms"),
    endedAtMs: maybeNumber(row, "ended_at_ms"),
    error: maybeText(row, "error"),
    details: json(row, "details"),
  };
}

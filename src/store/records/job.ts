export type JobState = "scheduled" | "running" | "paused" | "completed" | "error";

/** A scheduled job; `definition` is the cron subsystem's own (prompt, schedule, delivery ...). */
export interface JobRecord {
  readonly id: string;
  readonly name: string;
  readonly isEnabled: boolean;
  readonly state: JobState;
  /** Undefined: not due by itself. */
  readonly nextRunAtMs?: number | undefined;
  readonly definition: Readonly<Record<string, unknown>>;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Every due occurrence ends in one of these; `running` is the only one that is not final. */
export type JobRunState = "running" | "ok" | "error" | "skipped" | "abandoned";

export interface JobRun {
  readonly id: number;
  readonly jobId: string;
  readonly scheduledForMs: number;
  readonly state: JobRunState;
  readonly attempt: number;
  readonly owner?: string | undefined;
  readonly startedAtMs: number;
  readonly heartbeatAtMs: number;
  readonly endedAtMs?: number | undefined;
  readonly error?: string | undefined;
  readonly details?: unknown | undefined;
}

export type JobClaim =
  | { readonly kind: "claimed"; readonly run: JobRun }
  /** Another worker has this occurrence, or it is over. */
  | { readonly kind: "taken"; readonly state: JobRunState };

export interface JobClaimOptions {
  readonly jobId: string;
  readonly scheduledForMs: number;
  readonly owner: string;
  /** Moved in the same transaction; `null` means the job has no further time, absent leaves it. */
  readonly nextRunAtMs?: number | null | undefined;
  /** Take up a run that was left without a heartbeat since then. */
  readonly retryIfSilentSinceMs?: number | undefined;
}

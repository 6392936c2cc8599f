import { isRecord } from "#foundation/text/json";
import { nonEmpty } from "#foundation/text/text";
import type { JobRecord } from "#store";
import type { Schedule } from "./schedule/schedule.ts";

/** Where a job was made, so that its answer can go back there. */
export interface JobOrigin {
  readonly platform: string;
  readonly account?: string | undefined;
  readonly chatId: string;
  readonly chatName?: string | undefined;
  readonly threadId?: string | undefined;
}

/** Who wrote the job. What a model wrote for later says which conversation it was in, and whose words that had read. */
export interface JobAuthor {
  readonly by: "person" | "model";
  readonly sessionId?: string | undefined;
  /** Words of strangers were in the context: where they came from. */
  readonly untrusted?: string | undefined;
}

/** What a job does, as a person or a model says it. */
export interface JobWork {
  readonly prompt: string;
  readonly skills: readonly string[];
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  /** An endpoint other than the provider's own; a model may not choose one. */
  readonly baseUrl?: string | undefined;
  /** A file below `scripts/` of the home. */
  readonly script?: string | undefined;
  /** Jobs whose newest output is handed to this one. */
  readonly contextFrom: readonly string[];
  /** `origin`, `local`, a platform, `platform:chat[:thread]`; several with commas. */
  readonly deliver: string;
  readonly toolsets?: readonly string[] | undefined;
  readonly workdir?: string | undefined;
  /** Empty: the configured one. */
  readonly timezone: string;
  /** Maximum model calls per run; undefined: as configured. */
  readonly maxSteps?: number | undefined;
  /** Models that take over when its own fails, each as `provider:model`; undefined: as configured. */
  readonly fallback?: readonly string[] | undefined;
}

export interface Job extends JobWork {
  readonly id: string;
  readonly name: string;
  readonly isEnabled: boolean;
  readonly state: JobRecord["state"];
  readonly nextRunAtMs: number | undefined;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly schedule: Schedule;
  readonly repeat: { readonly times: number | null; readonly completed: number };
  readonly paused?: { readonly atMs: number; readonly reason: string } | undefined;
  readonly last?: JobEnd | undefined;
  readonly origin?: JobOrigin | undefined;
  /** Whose job it is, on surfaces with several people. */
  readonly userId?: string | undefined;
  readonly author: JobAuthor;
  /** A person has to agree before it runs. */
  readonly isHeld: boolean;
}

export interface JobEnd {
  readonly atMs: number;
  readonly status: "ok" | "error";
  readonly error?: string | undefined;
  readonly deliveryError?: string | undefined;
}

/** The row of a job. */
export function toRecord(job: Job): JobRecord {
  const { id, name, isEnabled, state, nextRunAtMs, createdAtMs, updatedAtMs, ...definition } = job;
  return { id, name, isEnabled, state, nextRunAtMs, createdAtMs, updatedAtMs, definition };
}

/** The job of a row; undefined when the row is not one this program can read. */
export function fromRecord(record: JobRecord): Job | undefined {
  const { id, name, isEnabled, state, nextRunAtMs, createdAtMs, updatedAtMs, definition: d } = record;
  const schedule = readStoredSchedule(d["schedule"]);
  if (schedule === undefined) return undefined;
  const repeat = isRecord(d["repeat"]) ? d["repeat"] : {};
  return {
    id,
    name,
    isEnabled,
    state,
    nextRunAtMs,
    createdAtMs,
    updatedAtMs,
    schedule,
    prompt: textIn(d, "prompt") ?? "",
    skills: textsIn(d, "skills") ?? [],
    model: textIn(d, "model"),
    provider: textIn(d, "provider"),
    baseUrl: textIn(d, "baseUrl"),
    script: textIn(d, "script"),
    contextFrom: textsIn(d, "contextFrom") ?? [],
    deliver: textIn(d, "deliver") ?? "local",
    toolsets: textsIn(d, "toolsets"),
    workdir: textIn(d, "workdir"),
    timezone: textIn(d, "timezone") ?? "",
    maxSteps: numberIn(d, "maxSteps"),
    fallback: textsIn(d, "fallback"),
    repeat: { times: numberIn(repeat, "times") ?? null, completed: numberIn(repeat, "completed") ?? 0 },
    paused: isRecord(d["paused"]) ? (d["paused"] as unknown as Job["paused"]) : undefined,
    last: isRecord(d["last"]) ? (d["last"] as unknown as JobEnd) : undefined,
    origin: isRecord(d["origin"]) ? (d["origin"] as unknown as JobOrigin) : undefined,
    userId: textIn(d, "userId"),
    author: isRecord(d["author"]) ? (d["author"] as unknown as JobAuthor) : { by: "person" },
    isHeld: d["isHeld"] === true,
  };
}

function readStoredSchedule(value: unknown): Schedule | undefined {
  if (!isRecord(value)) return undefined;
  const { kind, runAtMs, minutes, expr } = value;
  const display = textIn(value, "display") ?? "";
  if (kind === "once" && typeof runAtMs === "number") return { kind, runAtMs, display };
  if (kind === "interval" && typeof minutes === "number") return { kind, minutes, display };
  if (kind === "cron" && typeof expr === "string") return { kind, expr, display };
  return undefined;
}

export function textIn(record: Readonly<Record<string, unknown>>, name: string): string | undefined {
  return nonEmpty(record[name]);
}

function numberIn(record: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = record[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function textsIn(record: Readonly<Record<string, unknown>>, name: string): readonly string[] | undefined {
  const value = record[name];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : undefined;
}

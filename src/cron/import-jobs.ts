import { readTextFile } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import type { Store } from "#store";
import { fromRecord, type Job, textIn, textsIn, toRecord } from "./job.ts";
import type { Schedule } from "./schedule/schedule.ts";

export interface ImportDeps {
  readonly store: Store;
  readonly home: HermesHome;
  readonly clock: Clock;
}

const mark = "cron.imported_jobs_json";
const maxBytes = 16_777_216;

/** Takes over the jobs of an older home, once; its file stays as it is. Those that are here already are left alone. */
export async function importJobs({ store, home, clock }: ImportDeps): Promise<void> {
  if ((await store.meta.get(mark)) !== undefined) return;
  const text = await readTextFile(home.cronJobs, { maxBytes });
  const parsed = parseJson(text ?? "{}");
  // A file that cannot be read is neither taken over nor forgotten: it is read again once it was mended.
  if (!parsed.ok) return;
  const list = isRecord(parsed.value) ? parsed.value["jobs"] : parsed.value;
  const jobs = (Array.isArray(list) ? list : []).flatMap((one) =>
    isRecord(one) ? (oldJob(one, clock.now()) ?? []) : [],
  );
  await store.transaction(async (tx) => {
    for (const job of jobs) if ((await tx.jobs.get(job.id)) === undefined) await tx.jobs.put(toRecord(job));
    await tx.meta.set(mark, String(jobs.length));
  });
}

function oldJob(old: Readonly<Record<string, unknown>>, nowMs: number): Job | undefined {
  const id = textIn(old, "id");
  const schedule = oldSchedule(old["schedule"]);
  if (id === undefined || !/^[a-f0-9]{12}$/.test(id) || schedule === undefined) return undefined;
  const repeat = isRecord(old["repeat"]) ? old["repeat"] : {};
  const origin = isRecord(old["origin"]) ? old["origin"] : undefined;
  const isEnabled = old["enabled"] !== false && old["state"] !== "paused" && old["state"] !== "completed";
  const lastRunAtMs = time(old["last_run_at"]);
  const record = {
    id,
    name: textIn(old, "name") ?? id,
    isEnabled,
    state: isEnabled
      ? ("scheduled" as const)
      : old["state"] === "completed"
        ? ("completed" as const)
        : ("paused" as const),
    nextRunAtMs: time(old["next_run_at"]),
    createdAtMs: time(old["created_at"]) ?? nowMs,
    updatedAtMs: nowMs,
    definition: {
      schedule,
      prompt: textIn(old, "prompt") ?? "",
      skills: textsIn(old, "skills") ?? (textIn(old, "skill") === undefined ? [] : [textIn(old, "skill")]),
      model: textIn(old, "model"),
      provider: textIn(old, "provider"),
      baseUrl: textIn(old, "base_url"),
      script: textIn(old, "script"),
      contextFrom:
        textsIn(old, "context_from") ??
        (textIn(old, "context_from") === undefined ? [] : [textIn(old, "context_from")]),
      deliver: textIn(old, "deliver") ?? "local",
      toolsets: textsIn(old, "enabled_toolsets"),
      workdir: textIn(old, "workdir"),
      repeat,
      origin:
        origin === undefined
          ? undefined
          : {
              platform: textIn(origin, "platform") ?? "",
              chatId: String(origin["chat_id"] ?? ""),
              chatName: textIn(origin, "chat_name"),
              threadId: origin["thread_id"] === null ? undefined : textIn(origin, "thread_id"),
            },
      last:
        lastRunAtMs === undefined
          ? undefined
          : {
              atMs: lastRunAtMs,
              status: old["last_status"] === "error" ? "error" : "ok",
              error: textIn(old, "last_error"),
            },
      author: { by: "person" },
    },
  };
  return fromRecord(record);
}

function oldSchedule(value: unknown): Schedule | undefined {
  if (!isRecord(value)) return undefined;
  const display = textIn(value, "display") ?? "";
  const { kind, minutes, expr } = value;
  const runAtMs = time(value["run_at"]);
  if (kind === "once" && runAtMs !== undefined) return { kind, runAtMs, display };
  if (kind === "interval" && typeof minutes === "number" && minutes > 0) return { kind, minutes, display };
  if (kind === "cron" && typeof expr === "string") return { kind, expr, display: display === "" ? expr : display };
  return undefined;
}

function time(value: unknown): number | undefined {
  const atMs = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : atMs;
}

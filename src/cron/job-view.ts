import type { Job } from "./job.ts";
import type { Zone } from "./schedule/zone.ts";

/** A job as programs read it: the tool, the CLI with `--json`, the HTTP API. */
export function jobView(job: Job, zone: Zone): Readonly<Record<string, unknown>> {
  const time = (atMs: number | undefined): string | null => (atMs === undefined ? null : zone.text(atMs));
  return {
    job_id: job.id,
    id: job.id,
    name: job.name,
    skill: job.skills[0] ?? null,
    skills: job.skills,
    prompt_preview: job.prompt.length > 100 ? `${job.prompt.slice(0, 100)}…` : job.prompt,
    model: job.model ?? null,
    provider: job.provider ?? null,
    base_url: job.baseUrl ?? null,
    fallback_providers: job.fallback ?? null,
    schedule: job.schedule.display,
    schedule_kind: job.schedule.kind,
    timezone: zone.name,
    repeat: repeatText(job),
    deliver: job.deliver,
    script: job.script ?? null,
    context_from: job.contextFrom,
    enabled_toolsets: job.toolsets ?? null,
    workdir: job.workdir ?? null,
    next_run_at: time(job.nextRunAtMs),
    last_run_at: time(job.last?.atMs),
    last_status: job.last?.status ?? null,
    last_error: job.last?.error ?? null,
    last_delivery_error: job.last?.deliveryError ?? null,
    enabled: job.isEnabled,
    state: job.state,
    paused_at: time(job.paused?.atMs),
    paused_reason: job.paused?.reason ?? null,
    waits_for_person: job.isHeld,
    made_by: job.author.by,
    untrusted_source: job.author.untrusted ?? null,
    created_at: time(job.createdAtMs),
  };
}

/** `once`, `forever`, `2/5`. */
export function repeatText({ repeat, schedule }: Pick<Job, "repeat" | "schedule">): string {
  if (schedule.kind === "once") return "once";
  return repeat.times === null ? "forever" : `${repeat.completed}/${repeat.times}`;
}

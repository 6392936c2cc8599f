import { type CronJobs, type Job, type JobRequest, jobView, repeatText } from "#cron";
import { plural } from "#foundation/text/figures";
import { exitCodes, type Invocation } from "../../command.ts";
import { argument, flagList, flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { gatewayPid } from "../../support/gateway-state.ts";
import { homeOf } from "../../support/home.ts";
import { usageError } from "../../usage-error.ts";
import { withJobs } from "./open.ts";

/** `hermes cron list`. */
export async function cronList(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  await withJobs(invocation, async (jobs) => {
    const listed = await jobs.list({ all: hasFlag(invocation, "all") });
    out.document({ jobs: listed.map((job) => jobView(job, jobs.zoneOf(job))) });
    if (listed.length === 0) {
      out.line('There are no jobs. Create one: hermes cron create "every day at 9:00" "…"');
      return;
    }
    out.table(
      [
        { title: "Id" },
        { title: "Name", isFlexible: true },
        { title: "Schedule", isFlexible: true },
        { title: "Next run" },
        { title: "Repeat" },
        { title: "Deliver", isFlexible: true },
        { title: "State" },
      ],
      listed.map((job) => [
        job.id,
        job.name,
        job.schedule.display,
        job.isEnabled ? timeText(jobs, job, job.nextRunAtMs) : "–",
        repeatText(job),
        job.deliver,
        stateText(job),
      ]),
    );
    for (const job of listed)
      if (job.isHeld)
        out.line(`! ${job.id}: ${job.paused?.reason ?? ""} Look at it, then: hermes cron resume ${job.id}`);
  });
  await warnWithoutGateway(invocation, out);
  return exitCodes.ok;
}

export async function cronCreate(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const skills = flagList(invocation, "skill");
  await withJobs(invocation, async (jobs) => {
    const job = await jobs.create({
      ...requestOf(invocation),
      schedule: argument(invocation, 0),
      prompt: invocation.args[1],
      skills,
    });
    tell(
      { out, jobs },
      job,
      `Made ${job.id} (${job.name}): ${job.schedule.display}, next run ${timeText(jobs, job, job.nextRunAtMs)}.`,
    );
  });
  await warnWithoutGateway(invocation, out);
  return exitCodes.ok;
}

export async function cronEdit(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  return await withJobs(invocation, async (jobs) => {
    const before = await jobs.find(argument(invocation, 0));
    const request: JobRequest = {
      ...requestOf(invocation),
      schedule: flagText(invocation, "schedule"),
      prompt: flagText(invocation, "prompt"),
      skills: skillsOf(invocation, before),
    };
    if (Object.values(request).every((value) => value === undefined))
      throw usageError("Nothing to change.", "See: hermes cron edit --help");
    const job = await jobs.update(before.id, request);
    return tell(
      { out, jobs },
      job,
      `Changed ${job.id} (${job.name}): ${job.schedule.display}, next run ${timeText(jobs, job, job.nextRunAtMs)}.`,
    );
  });
}

export async function cronPause(invocation: Invocation): Promise<number> {
  const [, ...reason] = invocation.args;
  return await one(
    invocation,
    (jobs, id) => jobs.pause(id, reason.join(" ")),
    (job) => `Paused ${job.id} (${job.name}).`,
  );
}

export async function cronResume(invocation: Invocation): Promise<number> {
  return await one(
    invocation,
    (jobs, id) => jobs.resume(id),
    (job, next) => `Resumed ${job.id} (${job.name}); next run ${next}.`,
  );
}

export async function cronRemove(invocation: Invocation): Promise<number> {
  return await one(
    invocation,
    (jobs, id) => jobs.remove(id),
    (job) => `Removed ${job.id} (${job.name}).`,
  );
}

export async function cronRuns(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  return await withJobs(invocation, async (jobs) => {
    const job = await jobs.find(argument(invocation, 0));
    const runs = await jobs.runs(job.id, 50);
    out.document({ job_id: job.id, runs });
    for (const run of runs)
      out.line(
        `${timeText(jobs, job, run.scheduledForMs)}  ${run.state}${run.attempt > 1 ? ` (attempt ${run.attempt})` : ""}  ${run.error ?? ""}`.trimEnd(),
      );
    if (runs.length === 0) out.line("It has not run yet.");
    return exitCodes.ok;
  });
}

export async function cronStatus(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const pid = await gatewayPid(homeOf(invocation));
  return await withJobs(invocation, async (jobs) => {
    const listed = await jobs.list();
    const active = listed.filter(({ isEnabled }) => isEnabled);
    const [next] = active
      .filter(({ nextRunAtMs }) => nextRunAtMs !== undefined)
      .sort((left, right) => (left.nextRunAtMs ?? 0) - (right.nextRunAtMs ?? 0));
    const nextRun = next === undefined ? null : jobs.zoneOf(next).text(next.nextRunAtMs ?? 0);
    out.document({
      gateway_pid: pid ?? null,
      jobs: listed.length,
      active: active.length,
      next_job: next?.id ?? null,
      next_run_at: nextRun,
    });
    out.line(
      pid === undefined
        ? "No gateway is running. Jobs run only while one is, or with: hermes cron run"
        : `The gateway (process ${pid}) runs the jobs.`,
    );
    out.line(
      `${plural(listed.length, "job")}, ${active.length} active.${next === undefined ? "" : ` Next: ${next.name} at ${nextRun}.`}`,
    );
    return exitCodes.ok;
  });
}

async function one(
  invocation: Invocation,
  act: (jobs: CronJobs, id: string) => Promise<Job>,
  text: (job: Job, next: string) => string,
): Promise<number> {
  const out = new Output(invocation);
  return await withJobs(invocation, async (jobs) => {
    const job = await act(jobs, argument(invocation, 0));
    return tell({ out, jobs }, job, text(job, timeText(jobs, job, job.nextRunAtMs)));
  });
}

function tell({ out, jobs }: { readonly out: Output; readonly jobs: CronJobs }, job: Job, text: string): number {
  out.document({ job: jobView(job, jobs.zoneOf(job)) });
  out.line(text);
  return exitCodes.ok;
}

function requestOf(invocation: Invocation): JobRequest {
  const list = (name: string) => (invocation.flags[name] === undefined ? undefined : flagList(invocation, name));
  return {
    name: flagText(invocation, "name"),
    deliver: flagText(invocation, "deliver"),
    repeat: wholeNumber(invocation, "repeat"),
    script: flagText(invocation, "script"),
    workdir: flagText(invocation, "workdir"),
    model: flagText(invocation, "model"),
    provider: flagText(invocation, "provider"),
    baseUrl: flagText(invocation, "base-url"),
    fallback: hasFlag(invocation, "no-fallback") ? [] : list("fallback"),
    contextFrom: list("context-from"),
    toolsets: list("toolsets"),
    timezone: flagText(invocation, "timezone"),
    maxSteps: wholeNumber(invocation, "max-steps"),
  };
}

function wholeNumber(invocation: Invocation, name: string): number | undefined {
  const text = flagText(invocation, name);
  if (text === undefined) return undefined;
  if (!/^-?\d{1,6}$/.test(text.trim())) throw usageError(`Invalid --${name}: "${text}".`, "Use a whole number.");
  return Number(text);
}

/** The skills after an edit; undefined when they stay as they are. */
function skillsOf(invocation: Invocation, { skills }: Job): readonly string[] | undefined {
  if (hasFlag(invocation, "clear-skills")) return [];
  const chosen = flagList(invocation, "skill");
  const [added, removed] = [flagList(invocation, "add-skill"), flagList(invocation, "remove-skill")];
  if (chosen.length + added.length + removed.length === 0) return undefined;
  const base = chosen.length > 0 ? chosen : skills;
  return [...new Set([...base, ...added])].filter((name) => !removed.includes(name));
}

function timeText(jobs: CronJobs, job: Job, atMs: number | undefined): string {
  return atMs === undefined ? "never" : jobs.zoneOf(job).text(atMs).slice(0, 16).replace("T", " ");
}

function stateText(job: Job): string {
  if (job.isHeld) return "waits for you";
  return job.state === "scheduled" && job.last?.status === "error" ? "scheduled (last run failed)" : job.state;
}

async function warnWithoutGateway(invocation: Invocation, out: Output): Promise<void> {
  if ((await gatewayPid(homeOf(invocation))) === undefined)
    out.note("! No gateway is running, so no jobs run. Start one (hermes gateway run), or: hermes cron run");
}

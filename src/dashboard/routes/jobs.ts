import type { Hono } from "hono";
import { type Job, jobView } from "#cron";
import type { DashboardDeps } from "../deps.ts";
import { textsIn } from "../request-body.ts";

const dayMs = 86_400_000;
const mostRuns = 200;

/** Scheduled jobs: listed, made, paused, resumed, run soon, removed. */
export function jobRoutes(app: Hono, { jobs, clock, gateway }: DashboardDeps): void {
  const view = (job: Job) => jobView(job, jobs.zoneOf(job));
  app.get("/api/cron/jobs", async (c) => {
    const [found, processes] = await Promise.all([jobs.list({ all: true }), gateway()]);
    const hasScheduler = processes.some(({ roles }) => roles.length === 0 || roles.includes("scheduler"));
    return c.json({ jobs: found.map(view), has_scheduler: hasScheduler });
  });
  app.post("/api/cron/jobs", async (c) => {
    const { name, schedule, prompt } = await textsIn(c, "name", "schedule", "prompt");
    return c.json({ job: view(await jobs.create({ name: name === "" ? undefined : name, schedule, prompt })) });
  });
  app.get("/api/cron/jobs/:id/runs", async (c) => {
    const runs = await jobs.runs(c.req.param("id"), 20);
    return c.json({
      runs: runs.map(({ id, state, startedAtMs, endedAtMs, error }) => ({
        id,
        state,
        started_at_ms: startedAtMs,
        ended_at_ms: endedAtMs ?? null,
        error: error ?? null,
      })),
    });
  });
  app.get("/api/cron/upcoming", async (c) => {
    const asked = Number(c.req.query("days"));
    const days = Number.isSafeInteger(asked) && asked > 0 && asked <= 31 ? asked : 7;
    const fromMs = clock.now();
    const untilMs = fromMs + days * dayMs;
    const rows = (await jobs.list()).map(async (job) => ({
      id: job.id,
      name: job.name,
      runs_ms: await jobs.upcoming(job, { untilMs, most: mostRuns }),
    }));
    return c.json({ from_ms: fromMs, until_ms: untilMs, jobs: await Promise.all(rows) });
  });
  app.post("/api/cron/jobs/:id/pause", async (c) => c.json({ job: view(await jobs.pause(c.req.param("id"))) }));
  app.post("/api/cron/jobs/:id/resume", async (c) => c.json({ job: view(await jobs.resume(c.req.param("id"))) }));
  app.post("/api/cron/jobs/:id/trigger", async (c) => c.json({ job: view(await jobs.runSoon(c.req.param("id"))) }));
  app.delete("/api/cron/jobs/:id", async (c) => c.json({ job: view(await jobs.remove(c.req.param("id"))) }));
}

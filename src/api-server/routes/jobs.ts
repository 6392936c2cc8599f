import { type CronJobs, type Job, type JobRequest, jobView } from "#cron";
import { UserError } from "#foundation/errors";
import type { ApiContext } from "../api-context.ts";
import { ApiError } from "../api-error.ts";
import type { Caller } from "../callers.ts";
import { type Body, fingerprint, readBody } from "../request/body.ts";

const changeable = ["name", "schedule", "prompt", "deliver", "skills", "skill", "repeat", "enabled"] as const;

export interface JobCall {
  readonly id?: string | undefined;
  readonly action?: string | undefined;
}

/** The routes below `/api/jobs`. Refusals are `{"error": "…"}`, as their clients know them. */
export async function jobRoute(
  request: Request,
  { id, action }: JobCall,
  { caller, context }: { readonly caller: Caller; readonly context: ApiContext },
): Promise<Response> {
  const jobs = context.jobs.as({ userId: caller.userId, author: { by: "person" } });
  try {
    if (id === undefined)
      return request.method === "GET"
        ? await listJobs(request, jobs)
        : await createJob(request, jobs, { caller, context });
    if (!/^[a-f0-9]{12}$/.test(id)) return refused(400, "A job's id has twelve hexadecimal digits.");
    return await oneJob(request, { jobs, id }, action);
  } catch (error) {
    if (error instanceof ApiError) return refused(error.status, error.message);
    if (!(error instanceof UserError)) throw error;
    return refused(error.code === "job_not_found" ? 404 : 400, [error.message, error.hint].filter(Boolean).join(" "));
  }
}

async function listJobs({ url }: Request, jobs: CronJobs): Promise<Response> {
  const all = new URL(url).searchParams.get("include_disabled") === "true";
  const listed = (await jobs.list({ all })).filter(({ isEnabled }) => all || isEnabled);
  return Response.json({ jobs: listed.map((job) => shown(jobs, job)) });
}

async function createJob(
  request: Request,
  jobs: CronJobs,
  { caller, context }: { readonly caller: Caller; readonly context: ApiContext },
): Promise<Response> {
  const body = await readBody(request);
  const wanted = readJob(body);
  if (wanted.name === undefined) return refused(400, "name is missing.");
  if (wanted.schedule === undefined) return refused(400, "schedule is missing.");
  const key = request.headers.get("idempotency-key");
  const print = fingerprint(body, [...changeable]);
  const { body: answer } = await context.idempotency.once({ caller, key, fingerprint: print }, async () => {
    const job = await jobs.create({ deliver: "local", ...wanted });
    return { status: 200, body: { job: shown(jobs, job) }, headers: {} };
  });
  return Response.json(answer);
}

async function oneJob(request: Request, { jobs, id }: OneJob, action: string | undefined): Promise<Response> {
  if (action !== undefined) return await actOn({ jobs, id }, action);
  if (request.method === "PATCH") return await changeJob(await readBody(request), { jobs, id });
  const job = await jobs.find(id);
  if (request.method === "GET") return Response.json({ job: shown(jobs, job) });
  await jobs.remove(job.id);
  return Response.json({ ok: true });
}

interface OneJob {
  readonly jobs: CronJobs;
  readonly id: string;
}

async function actOn({ jobs, id }: OneJob, action: string): Promise<Response> {
  const acts: Readonly<Record<string, () => Promise<Job>>> = {
    pause: () => jobs.pause(id),
    resume: () => jobs.resume(id),
    run: () => jobs.runSoon(id),
  };
  if (!Object.hasOwn(acts, action)) return refused(404, "There is no such action.");
  const job = await acts[action]?.();
  return job === undefined ? refused(404, "There is no such action.") : Response.json({ job: shown(jobs, job) });
}

async function changeJob(body: Body, { jobs, id }: OneJob): Promise<Response> {
  if (!changeable.some((name) => body[name] !== undefined))
    return refused(400, `Nothing to change: ${changeable.join(", ")}.`);
  const wanted = readJob(body);
  let job = await jobs.find(id);
  if (Object.values(wanted).some((value) => value !== undefined)) job = await jobs.update(id, wanted);
  if (body["enabled"] === false) job = await jobs.pause(id);
  if (body["enabled"] === true) job = await jobs.resume(id);
  return Response.json({ job: shown(jobs, job) });
}

function readJob(body: Body): JobRequest {
  const text = (name: string, max: number): string | undefined => {
    const value = body[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "string" || value.length > max)
      throw new ApiError(400, `${name} must be text of at most ${max} characters.`);
    return value;
  };
  const { repeat, enabled } = body;
  if (
    repeat !== undefined &&
    repeat !== null &&
    (typeof repeat !== "number" || !Number.isSafeInteger(repeat) || repeat < 1)
  )
    throw new ApiError(400, "repeat must be a positive whole number.");
  if (enabled !== undefined && typeof enabled !== "boolean") throw new ApiError(400, "enabled must be true or false.");
  return {
    name: text("name", 200),
    schedule: text("schedule", 200),
    prompt: text("prompt", 5000),
    deliver: text("deliver", 500),
    skills: skillsIn(body),
    repeat: typeof repeat === "number" ? repeat : undefined,
  };
}

function skillsIn({ skills, skill }: Body): readonly string[] | undefined {
  if (typeof skill === "string") return [skill];
  if (skills === undefined || skills === null) return undefined;
  if (
    !Array.isArray(skills) ||
    skills.length > 50 ||
    !skills.every((one) => typeof one === "string" && one.length <= 200)
  )
    throw new ApiError(400, "skills must be a list of names.");
  return skills as readonly string[];
}

function shown(jobs: CronJobs, job: Job) {
  return { ...jobView(job, jobs.zoneOf(job)), prompt: job.prompt };
}

function refused(status: number, error: string): Response {
  return Response.json({ error }, { status });
}

import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import path from "node:path";
import { UserError } from "#foundation/errors";
import type { HermesHome } from "#foundation/files/paths";
import { headOf } from "#foundation/text/short-text";
import type { Clock } from "#foundation/time/clock";
import type { Aggregates, JobRun, Store } from "#store";
import { importJobs } from "./import-jobs.ts";
import { fromRecord, type Job, type JobAuthor, type JobOrigin, type JobWork, toRecord } from "./job.ts";
import { promptThreats } from "./prompt-scan.ts";
import { nextRun } from "./schedule/next-run.ts";
import { parseSchedule, zoneOf } from "./schedule/schedule.ts";
import type { Zone } from "./schedule/zone.ts";
import { scriptFile } from "./script-path.ts";

export interface CronJobsDeps {
  readonly store: Store;
  readonly home: HermesHome;
  readonly clock: Clock;
  /** `timezone`; empty takes the machine's. */
  readonly timeZone: string;
  /** `model.provider`: whose models a name without a provider means. Empty or `auto`: decided at every run. */
  readonly provider?: string | undefined;
  /** The names of what in a text speaks like an instruction or reaches for secrets. */
  threatsIn(text: string): readonly string[];
}

/** Who asks: everything they may see and what is noted of what they make. */
export interface JobCaller {
  /** Undefined: the owner of the home, who sees all jobs. */
  readonly userId?: string | undefined;
  readonly author: JobAuthor;
  readonly origin?: JobOrigin | undefined;
}

/** What can be said about a job; what is absent stays, or is the usual. */
export interface JobRequest extends Changes<JobWork> {
  readonly name?: string | undefined;
  readonly schedule?: string | undefined;
  /** At most so many runs; 0 or less: for ever. */
  readonly repeat?: number | undefined;
}

type Changes<T> = { readonly [K in keyof T]?: T[K] | undefined };

const limits = { name: 200, prompt: 5000 } as const;
const owner: JobCaller = { author: { by: "person" } };

/** The jobs of a home: what a person, a model or a program may do with them. Every refusal is a `UserError`. */
export class CronJobs {
  readonly #deps: CronJobsDeps;
  readonly #caller: JobCaller;

  constructor(deps: CronJobsDeps, caller: JobCaller = owner) {
    this.#deps = deps;
    this.#caller = caller;
  }

  /** The same jobs, for somebody else. */
  as(caller: JobCaller): CronJobs {
    return new CronJobs(this.#deps, caller);
  }

  zoneOf(job: Pick<Job, "timezone">): Zone {
    return zoneOf(job.timezone === "" ? this.#deps.timeZone : job.timezone);
  }

  async list({ all = false }: { readonly all?: boolean } = {}): Promise<readonly Job[]> {
    await importJobs(this.#deps);
    const jobs = (await this.#deps.store.jobs.list()).flatMap((record) => fromRecord(record) ?? []);
    return jobs.filter((job) => this.#mayUse(job) && (all || job.state !== "completed"));
  }

  /** By id, or by a name that only one job has. */
  async find(idOrName: string): Promise<Job> {
    const jobs = await this.list({ all: true });
    const byId = jobs.find(({ id }) => id === idOrName);
    if (byId !== undefined) return byId;
    const named = jobs.filter(({ name }) => name.toLowerCase() === idOrName.trim().toLowerCase());
    if (named.length === 1 && named[0] !== undefined) return named[0];
    throw new UserError(
      named.length > 1 ? `Several jobs are called "${idOrName}".` : `There is no job "${idOrName}".`,
      {
        hint:
          named.length > 1
            ? `Use an id: ${named.map(({ id }) => id).join(", ")}`
            : "See the jobs there are with: hermes cron list",
        code: "job_not_found",
      },
    );
  }

  async create(request: JobRequest): Promise<Job> {
    const nowMs = this.#deps.clock.now();
    const { author, origin, userId } = this.#caller;
    if (request.schedule === undefined)
      throw new UserError("A job needs a schedule.", {
        hint: 'For example "every 2h" or "0 9 * * *".',
        code: "bad_schedule",
      });
    const work: JobWork = {
      prompt: request.prompt?.trim() ?? "",
      skills: request.skills ?? [],
      model: request.model,
      provider: this.#providerOf(request),
      baseUrl: request.baseUrl,
      script: request.script,
      contextFrom: request.contextFrom ?? [],
      deliver: request.deliver ?? (origin === undefined ? "local" : "origin"),
      toolsets: request.toolsets,
      workdir: request.workdir,
      timezone: request.timezone ?? "",
      maxSteps: request.maxSteps,
      fallback: request.fallback,
    };
    await this.#check(work);
    const schedule = await parseSchedule(request.schedule, { nowMs, timeZone: this.zoneOf(work).name });
    const times = request.repeat === undefined || request.repeat <= 0 ? null : request.repeat;
    const isHeld = author.untrusted !== undefined;
    const job: Job = {
      ...work,
      id: randomBytes(6).toString("hex"),
      name: request.name === undefined ? madeUpName(work) : nameOf(request.name),
      isEnabled: !isHeld,
      state: isHeld ? "paused" : "scheduled",
      nextRunAtMs:
        (await nextRun(schedule, { afterMs: nowMs - 1, anchorMs: nowMs, zone: this.zoneOf(work) })) ?? runAt(schedule),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      schedule,
      repeat: { times: schedule.kind === "once" ? 1 : times, completed: 0 },
      origin,
      userId,
      author,
      isHeld,
      paused: isHeld ? { atMs: nowMs, reason: heldReason(author) } : undefined,
    };
    await importJobs(this.#deps);
    await this.#deps.store.jobs.put(toRecord(job));
    return job;
  }

  async update(idOrName: string, request: JobRequest): Promise<Job> {
    const { id } = await this.find(idOrName);
    return await this.#change(id, async (job, nowMs) => {
      const { schedule: words, repeat, name, ...changes } = request;
      const provider = this.#providerOf(request);
      const input = Object.fromEntries(
        Object.entries({ ...changes, provider }).filter(([, value]) => value !== undefined),
      );
      const next: Job = {
        ...job,
        ...input,
        name: name === undefined ? job.name : nameOf(name),
        ...this.#heldAgain(job, nowMs),
      };
      const times = repeat === undefined ? next.repeat.times : repeat <= 0 ? null : repeat;
      const repeated = { ...next, repeat: { ...next.repeat, times } };
      if (words === undefined && request.timezone === undefined) return repeated;
      const zone = this.zoneOf(next);
      const schedule = words === undefined ? job.schedule : await parseSchedule(words, { nowMs, timeZone: zone.name });
      const nextRunAtMs = (await nextRun(schedule, { afterMs: nowMs - 1, anchorMs: nowMs, zone })) ?? runAt(schedule);
      const state = repeated.state === "completed" ? "scheduled" : repeated.state;
      return { ...repeated, schedule, nextRunAtMs, state, isEnabled: state === "scheduled" || repeated.isEnabled };
    });
  }

  /** A model is one of the provider that is configured now: another one later may not have it, or bill it elsewhere. */
  #providerOf({ model, provider, baseUrl }: JobRequest): string | undefined {
    const { provider: configured = "" } = this.#deps;
    if (provider !== undefined || model === undefined || model.includes(":")) return provider;
    if (baseUrl !== undefined) return "custom";
    return configured === "" || configured === "auto" ? undefined : configured;
  }

  async pause(idOrName: string, reason = ""): Promise<Job> {
    const { id } = await this.find(idOrName);
    return await this.#change(id, (job, nowMs) => ({
      ...job,
      isEnabled: false,
      state: "paused",
      paused: { atMs: nowMs, reason },
    }));
  }

  /** Also how a person agrees to a job that waited for one; a model cannot. */
  async resume(idOrName: string): Promise<Job> {
    const { id } = await this.find(idOrName);
    return await this.#change(id, async (job, nowMs) => {
      const free = this.#released(job);
      const zone = this.zoneOf(job);
      const nextRunAtMs =
        (await nextRun(job.schedule, { afterMs: nowMs, anchorMs: nowMs, zone })) ?? runAt(job.schedule);
      return { ...free, nextRunAtMs };
    });
  }

  /** Makes it due at once; whoever runs the schedule takes it from there. */
  async runSoon(idOrName: string): Promise<Job> {
    const { id } = await this.find(idOrName);
    return await this.#change(id, (job, nowMs) => ({ ...this.#released(job), nextRunAtMs: nowMs }));
  }

  async remove(idOrName: string): Promise<Job> {
    const job = await this.find(idOrName);
    await this.#deps.store.jobs.remove(job.id);
    return job;
  }

  /** When a job runs from now on, by its schedule; the next one as it is noted, since it may have been asked for. */
  async upcoming(job: Job, { untilMs, most }: { readonly untilMs: number; readonly most: number }) {
    const times: number[] = [];
    const left = job.repeat.times === null ? most : Math.min(most, job.repeat.times - job.repeat.completed);
    let atMs = job.isEnabled ? job.nextRunAtMs : undefined;
    while (atMs !== undefined && atMs <= untilMs && times.length < left) {
      times.push(atMs);
      atMs = await nextRun(job.schedule, { afterMs: atMs, anchorMs: atMs, zone: this.zoneOf(job) });
    }
    return times;
  }

  async runs(idOrName: string, limit: number): Promise<readonly JobRun[]> {
    const { id } = await this.find(idOrName);
    return await this.#deps.store.jobs.runs(id, { limit });
  }

  #mayUse(job: Job): boolean {
    return this.#caller.userId === undefined || job.userId === this.#caller.userId;
  }

  /** Scheduled again, unless it waits for a person and the one who asks is none. */
  #released(job: Job): Job {
    if (job.isHeld && this.#caller.author.by === "model")
      throw new UserError(`The job "${job.name}" waits for a person.`, {
        hint: `Ask the user to look at it and run: hermes cron resume ${job.id}`,
        code: "job_held",
      });
    return { ...job, isHeld: false, isEnabled: true, state: "scheduled", paused: undefined };
  }

  /** A change made in a turn that has read words of strangers waits for a person like a new job. */
  #heldAgain(job: Job, nowMs: number): Partial<Job> {
    const { author } = this.#caller;
    if (author.untrusted === undefined) return job.isHeld && author.by === "model" ? { author } : {};
    const paused = { atMs: nowMs, reason: heldReason(author) };
    return { author, isHeld: true, isEnabled: false, state: "paused", paused };
  }

  async #change(id: string, change: (job: Job, nowMs: number) => Job | Promise<Job>): Promise<Job> {
    const nowMs = this.#deps.clock.now();
    return await this.#deps.store.transaction(async (tx: Aggregates) => {
      const record = await tx.jobs.get(id);
      const job = record === undefined ? undefined : fromRecord(record);
      if (job === undefined) throw new UserError(`There is no job "${id}".`, { code: "job_not_found" });
      const next = { ...(await change(job, nowMs)), updatedAtMs: nowMs };
      await this.#check(next);
      await tx.jobs.put(toRecord(next));
      return next;
    });
  }

  async #check(work: JobWork): Promise<void> {
    const { prompt, skills, script, workdir, contextFrom, baseUrl } = work;
    zoneOf(work.timezone);
    if (baseUrl !== undefined && !/^https?:\/\//.test(baseUrl))
      throw new UserError(`${JSON.stringify(baseUrl)} is not an endpoint address.`, {
        hint: "It begins with http:// or https://.",
        code: "bad_base_url",
      });
    const unnamed = work.fallback?.find((name) => !/^[^:\s]+:\S/.test(name));
    if (unnamed !== undefined)
      throw new UserError(`"${unnamed}" is not a provider and model.`, {
        hint: "Write both, such as openrouter:openai/gpt-5.2.",
        code: "bad_fallback",
      });
    if (prompt === "" && skills.length === 0)
      throw new UserError("A job needs a prompt or a skill.", { code: "empty_job" });
    if (prompt.length > limits.prompt)
      throw new UserError(`Prompts can have at most ${limits.prompt} characters (this one has ${prompt.length}).`, {
        code: "prompt_too_long",
      });
    const threats = promptThreats(prompt, this.#deps.threatsIn);
    if (threats.length > 0)
      throw new UserError(`This prompt cannot be scheduled: ${threats.join(", ")}.`, {
        hint: "Word it without commands that reach for secrets or override instructions.",
        code: "prompt_blocked",
      });
    if (script !== undefined) scriptFile(script, this.#deps.home);
    if (workdir !== undefined && !isFolder(workdir))
      throw new UserError(`${workdir} is not a folder.`, { hint: "Give the absolute path of a folder that exists." });
    const wrong = contextFrom.find((id) => !/^[a-f0-9]{12}$/.test(id));
    if (wrong !== undefined) throw new UserError(`"${wrong}" is not the id of a job.`, { code: "job_not_found" });
  }
}

function isFolder(folder: string): boolean {
  return path.isAbsolute(folder) && statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** A name somebody chose. */
function nameOf(text: string): string {
  const name = text.trim().replace(/\s+/g, " ");
  if (name.length <= limits.name && name !== "") return name;
  throw new UserError(`Names have 1 to ${limits.name} characters (this one has ${name.length}).`, { code: "bad_name" });
}

/** The beginning of what it does, for a job nobody named. */
function madeUpName({ prompt, skills }: JobWork): string {
  return headOf((prompt || skills.join(", ")).replace(/\s+/g, " "), 50);
}

function runAt(schedule: Job["schedule"]): number | undefined {
  return schedule.kind === "once" ? schedule.runAtMs : undefined;
}

function heldReason({ untrusted = "" }: JobAuthor): string {
  return `Created in a conversation that had read ${untrusted}; a person has to approve it.`;
}

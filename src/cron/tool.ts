import { UserError } from "#foundation/errors";
import type { Route, Store } from "#store";
import {
  type ArgumentsOf,
  defineTool,
  result,
  type Tool,
  type ToolContext,
  ToolFailure,
  type ToolResult,
} from "#tools";
import type { Job, JobOrigin } from "./job.ts";
import { jobView } from "./job-view.ts";
import type { CronJobs, JobCaller, JobRequest } from "./jobs.ts";

export interface CronToolDeps {
  readonly store: Store;
  readonly jobs: CronJobs;
}

const actions = ["create", "list", "update", "pause", "resume", "remove", "run"] as const;

const parameters = {
  type: "object",
  properties: {
    action: { type: "string", enum: [...actions, "run_now", "trigger"] },
    job_id: { type: "string", description: "Which job, by id or name (all but create and list)" },
    prompt: { type: "string", description: "What to do; the job knows nothing of this conversation" },
    schedule: {
      type: "string",
      description: '"30m", "every 2h", "every monday at 8am", a cron expression, or a time such as 2026-02-03T14:00',
    },
    name: { type: "string" },
    repeat: { type: "integer", description: "Runs at most; 0 or less: for ever" },
    deliver: {
      type: "string",
      description: '"origin" (this chat, the default), "local" (a file), or platform:chat[:thread]',
    },
    skills: { type: "array", items: { type: "string" } },
    model: {
      type: "object",
      properties: { provider: { type: "string" }, model: { type: "string" } },
      required: ["model"],
    },
    script: { type: "string", description: "A file below scripts/ that runs first; what it prints is handed over" },
    context_from: { type: "array", items: { type: "string" }, description: "Jobs whose newest output is handed over" },
    enabled_toolsets: { type: "array", items: { type: "string" } },
    workdir: { type: "string", description: "Absolute path of a folder to work in" },
    timezone: { type: "string", description: "Time zone, such as Europe/Berlin" },
  },
  required: ["action"],
} as const;

type CronArguments = ArgumentsOf<typeof parameters>;

/** The `cronjob` tool: jobs of whoever the session works for. */
export function cronTool(deps: CronToolDeps): Tool {
  return defineTool({
    name: "cronjob",
    toolset: "cronjob",
    emoji: "⏰",
    description:
      "Create and manage scheduled jobs. A job starts without this conversation, so its prompt must say everything; its final answer is " +
      "delivered by itself. List the jobs before you change or remove one. Never schedule from inside a job.",
    parameters,
    effects: "elsewhere",
    isForMainAgent: true,
    isIdempotent: false,
    shorten: ({ action, name, job_id }) => ["cronjob", action, name ?? job_id].filter(Boolean).join(" "),
    async run(args, context) {
      if (context.scope.source === "cron") throw new ToolFailure("Jobs cannot schedule jobs.");
      const caller = await callerOf(deps.store, context);
      const jobs = deps.jobs.as(caller);
      try {
        return await act(jobs, args);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        const message = [error.message, error.hint].filter(Boolean).join(" ");
        return { content: { success: false, error: message }, isError: true };
      }
    },
  });
}

async function act(jobs: CronJobs, args: CronArguments): Promise<ToolResult> {
  const shown = (job: Job) => jobView(job, jobs.zoneOf(job));
  const { action } = args;
  if (action === "list") {
    const listed = (await jobs.list()).map(shown);
    return result({ success: true, count: listed.length, jobs: listed });
  }
  if (action === "create") {
    const job = await jobs.create(requestOf(args));
    const view = shown(job);
    const message = job.isHeld
      ? `The job is stored and waits: this conversation has read ${job.author.untrusted}, so the user has to agree. Tell them to look at it and run: hermes cron resume ${job.id}`
      : `The job is scheduled: ${job.schedule.display}.`;
    const { job_id, name, skills, schedule, repeat, deliver, next_run_at } = view;
    return result({ success: true, job_id, name, skills, schedule, repeat, deliver, next_run_at, job: view, message });
  }
  const id = args.job_id;
  if (id === undefined || id === "") throw new ToolFailure(`job_id is needed for ${action}. List the jobs first.`);
  if (action === "remove") {
    const job = await jobs.remove(id);
    return result({ success: true, message: `Removed ${job.name}.`, removed_job: shown(job) });
  }
  if (action === "pause") return result({ success: true, job: shown(await jobs.pause(id)) });
  if (action === "resume") return result({ success: true, job: shown(await jobs.resume(id)) });
  if (action === "update") return result({ success: true, job: shown(await jobs.update(id, requestOf(args))) });
  return result({ success: true, job: shown(await jobs.runSoon(id)) });
}

function requestOf(args: CronArguments): JobRequest {
  return {
    name: args.name,
    prompt: args.prompt,
    schedule: args.schedule,
    repeat: args.repeat,
    deliver: args.deliver,
    skills: args.skills,
    model: args.model?.model,
    provider: args.model?.provider,
    script: args.script,
    contextFrom: args.context_from,
    toolsets: args.enabled_toolsets,
    workdir: args.workdir,
    timezone: args.timezone,
  };
}

/** Where a conversation is held, when it is in a chat. */
export async function originOfSession(store: Pick<Store, "routes">, sessionId: string): Promise<JobOrigin | undefined> {
  const route = await store.routes.bySession(sessionId as Route["sessionId"]);
  return route === undefined ? undefined : originOf(route);
}

/** Whom the call works for, from the call: the person, the chat, and whose words the conversation has read. */
async function callerOf(store: Store, { scope, sessionId, untrusted }: ToolContext): Promise<JobCaller> {
  const author = { by: "model", sessionId, untrusted } as const;
  return { userId: scope.userId, author, origin: await originOfSession(store, sessionId) };
}

function originOf({ platform, chatId, threadId, details }: Route): JobOrigin | undefined {
  const { account, name } = details;
  if (chatId === undefined) return undefined;
  return {
    platform,
    chatId,
    threadId,
    account: typeof account === "string" ? account : undefined,
    chatName: typeof name === "string" ? name : undefined,
  };
}

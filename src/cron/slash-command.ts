import { UserError } from "#foundation/errors";
import type { Store } from "#store";
import type { Job } from "./job.ts";
import type { CronJobs } from "./jobs.ts";
import { originOfSession } from "./tool.ts";

export interface CronLineDeps {
  readonly jobs: CronJobs;
  readonly store: Pick<Store, "routes">;
}

const usage = [
  "/cron                              show the jobs",
  "/cron add <schedule> | <prompt>    make one",
  "/cron pause|resume|run|remove <id>",
].join("\n");

/** `/cron …` as a person types it in a chat or at a terminal. */
export async function answerCronLine(
  deps: CronLineDeps,
  line: string,
  { sessionId, userId }: { readonly sessionId: string; readonly userId: string | undefined },
): Promise<string> {
  const origin = await originOfSession(deps.store, sessionId);
  const jobs = deps.jobs.as({ userId, author: { by: "person", sessionId }, origin });
  const [word = "list", ...rest] = line.trim().split(/\s+/).filter(Boolean);
  const args = line.trim().slice(word.length).trim();
  try {
    return await answer(jobs, { word: word.toLowerCase(), args, id: rest[0] ?? "" });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [error.message, error.hint].filter(Boolean).join(" ");
  }
}

async function answer(
  jobs: CronJobs,
  { word, args, id }: { readonly word: string; readonly args: string; readonly id: string },
): Promise<string> {
  if (word === "list") return listed(jobs, await jobs.list());
  if (word === "add" || word === "create") return await added(jobs, args);
  if (id === "") return usage;
  if (word === "pause") return `Paused ${(await jobs.pause(id)).name}.`;
  if (word === "resume") return `Resumed ${named(jobs, await jobs.resume(id))}`;
  if (word === "run") return `${(await jobs.runSoon(id)).name} runs within seconds, while a gateway runs.`;
  if (word === "remove" || word === "rm" || word === "delete") return `Removed ${(await jobs.remove(id)).name}.`;
  return usage;
}

async function added(jobs: CronJobs, args: string): Promise<string> {
  const at = args.indexOf("|");
  if (at === -1) return `Put a | between schedule and prompt: /cron add every day at 9:00 | What is new?\n${usage}`;
  const job = await jobs.create({ schedule: args.slice(0, at).trim(), prompt: args.slice(at + 1).trim() });
  return `Made ${named(jobs, job)}`;
}

function listed(jobs: CronJobs, list: readonly Job[]): string {
  if (list.length === 0) return `There are no jobs.\n${usage}`;
  return list
    .map((job) => `${job.isHeld ? "waits for you: " : job.isEnabled ? "" : "paused: "}${named(jobs, job)}`)
    .join("\n");
}

function named(jobs: CronJobs, job: Job): string {
  const next =
    job.nextRunAtMs === undefined || !job.isEnabled
      ? ""
      : `, next ${jobs.zoneOf(job).text(job.nextRunAtMs).slice(0, 16).replace("T", " ")}`;
  return `${job.id} ${job.name} (${job.schedule.display}${next})`;
}

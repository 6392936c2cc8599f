/** Work that is done later: jobs with a schedule, and what runs them when they are due. */
export type { Job } from "./job.ts";
export { jobView, repeatText } from "./job-view.ts";
export { CronJobs, type JobRequest } from "./jobs.ts";
export type { Deliverer } from "./run/delivery.ts";
export { Scheduler, type SchedulerDeps } from "./run/scheduler.ts";
export { answerCronLine } from "./slash-command.ts";
export { cronTool } from "./tool.ts";

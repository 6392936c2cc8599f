import { z } from "zod";
import { flag, missing, section, whole } from "./setting.ts";

export const cronSections = {
  cron: section(
    { description: "Scheduled jobs.", category: "Cron", noEffect: missing.cron, reload: "now" },
    {
      wrap_response: flag(true, "Add a line about the job before and after its answer."),
      max_parallel_jobs: z
        .number()
        .int()
        .min(1)
        .nullable()
        .default(null)
        .meta({ description: "Jobs that may run at the same time; null sets no limit." }),
      script_timeout_seconds: whole(120, "Seconds a job's script may take."),
      timeout_seconds: whole(600, "Seconds without activity after which a job is ended."),
      use_fallback: flag(true, "Let jobs use the fallback chain."),
      retry_on_crash: z
        .boolean()
        .optional()
        .meta({ description: "Repeat a run that a crash cut off; absent repeats only one-time jobs." }),
    },
  ),
};

import type { Machine } from "#config";
import { type CronJobs, type Deliverer, Scheduler, type SchedulerDeps } from "#cron";
import { defined } from "#foundation/defined";
import type { SessionService } from "#session";
import type { Store } from "#store";

export interface SchedulerOptions {
  readonly deliverer?: Deliverer | undefined;
  readonly onEnd?: SchedulerDeps["onEnd"];
}

/** What runs the jobs, made of what the settings say. */
export function openScheduler(
  machine: Machine,
  parts: {
    readonly jobs: CronJobs;
    readonly store: Store;
    readonly sessions: SessionService;
    readonly commandEnvironment: NodeJS.ProcessEnv;
    redact(text: string): string;
  },
  { deliverer, onEnd }: SchedulerOptions,
): Scheduler {
  const { home, clock, logger, cwd, loaded } = machine;
  const { cron } = loaded.config;
  return new Scheduler({
    store: parts.store,
    jobs: parts.jobs,
    home,
    clock,
    logger,
    deliverer,
    run: {
      sessions: parts.sessions,
      home,
      logger,
      cwd,
      script: {
        timeoutMs: cron.script_timeout_seconds * 1000,
        env: parts.commandEnvironment,
        redact: (text) => parts.redact(text),
      },
      idleMs: cron.timeout_seconds * 1000,
      usesFallback: cron.use_fallback,
    },
    settings: {
      maxParallel: cron.max_parallel_jobs ?? undefined,
      retriesAfterCrash: cron.retry_on_crash,
      wraps: cron.wrap_response,
    },
    ...defined({ onEnd }),
  });
}

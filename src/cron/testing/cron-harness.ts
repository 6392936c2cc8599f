import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { HermesHome } from "#foundation/files/paths";
import { Scope } from "#foundation/lifecycle/disposal";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { type HarnessOptions, openHarness } from "#session/testing";
import { CronJobs } from "../jobs.ts";
import type { Deliverer } from "../run/delivery.ts";
import { Scheduler, type SchedulerDeps } from "../run/scheduler.ts";

export interface CronHarnessOptions extends HarnessOptions {
  readonly startMs?: number;
  readonly timeZone?: string;
  readonly scheduling?: Partial<SchedulerDeps["settings"]>;
}

const scopes: Scope[] = [];

/** For `afterEach`. */
export async function closeCron(): Promise<void> {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
}

/** Jobs and schedulers on one store, a fake model and a clock that tests move. */
export async function cron(options: CronHarnessOptions = {}) {
  const scope = new Scope();
  scopes.push(scope);
  const clock = new FakeClock(options.startMs ?? Date.parse("2026-01-15T10:00:00Z"));
  const harness = scope.adopt(await openHarness({ clock, ...options }));
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-cron-"));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  const home = new HermesHome(path.join(folder, "home"));
  const logger = memoryLogger();
  const { store } = harness;
  const jobs = new CronJobs({
    store,
    home,
    clock,
    timeZone: options.timeZone ?? "UTC",
    threatsIn: (text) => (/ignore all previous instructions/i.test(text) ? ["prompt_injection"] : []),
  });
  const deliverer: Deliverer = {
    rows({ word, origin }, { text, key }) {
      const [platform = "", chatId, threadId] = word.split(":");
      const chat = word === "origin" ? origin : chatId === undefined ? undefined : { platform, chatId, threadId };
      if (chat === undefined) return Promise.resolve(`${word} has no home channel.`);
      const to = { platform: chat.platform, account: "bot", chatId: chat.chatId, threadId: chat.threadId };
      return Promise.resolve([{ ...to, idempotencyKey: key, sessionKey: "s", kind: "send", payload: { text } }]);
    },
  };
  const scheduler = (more: Partial<SchedulerDeps> = {}): Scheduler =>
    new Scheduler({
      store,
      jobs,
      home,
      clock,
      logger,
      deliverer,
      run: {
        sessions: harness.service,
        home,
        logger,
        cwd: folder,
        script: {
          timeoutMs: 2_000,
          env: { PATH: process.env["PATH"] },
          redact: (text) => text.replaceAll("hunter2", "***"),
        },
        idleMs: 60_000,
        usesFallback: true,
      },
      settings: { maxParallel: undefined, retriesAfterCrash: undefined, wraps: false, ...options.scheduling },
      ...more,
    });
  const owed = async () =>
    (await store.outbox.list({ status: "pending" })).map(({ payload }) => (payload as { text: string }).text);
  const states = async (id: string) => (await store.jobs.runs(id)).map(({ state }) => state);
  return { ...harness, clock, folder, home, jobs, scheduler, owed, states };
}

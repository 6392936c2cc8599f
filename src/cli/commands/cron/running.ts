import type { Scheduler, SchedulerDeps } from "#cron";
import { exitCodes, type Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { gatewayPid } from "../../support/gateway-state.ts";
import { homeOf } from "../../support/home.ts";
import { targetsOf } from "../../support/targets.ts";
import { version } from "../../version.ts";
import { withJobs } from "./open.ts";

/** `hermes cron run [job]`: one job now, or what is due until Ctrl-C. */
export async function cronRun(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const [named] = invocation.args;
  if (named === undefined) {
    out.note("Running due jobs. Ctrl-C stops it.");
    await withScheduler(invocation, tellEnd(out), (scheduler) => scheduler.run(invocation.io.signal));
    return exitCodes.ok;
  }
  const job = await withJobs(invocation, (jobs) => jobs.runSoon(named));
  const pid = await gatewayPid(homeOf(invocation));
  if (pid !== undefined) {
    out.document({ job_id: job.id, runs_in: pid });
    out.line(`The gateway (process ${pid}) runs ${job.name} within seconds.`);
    return exitCodes.ok;
  }
  let end: Parameters<NonNullable<SchedulerDeps["onEnd"]>>[1] | undefined;
  const onEnd: SchedulerDeps["onEnd"] = (taken, outcome) => {
    if (taken.job.id === job.id) end = outcome;
  };
  await withScheduler(invocation, onEnd, (scheduler) => scheduler.tick(invocation.io.signal));
  const isOk = end !== undefined && end.kind !== "failed";
  out.document({ job_id: job.id, status: isOk ? "ok" : "error", ...(end ?? {}) });
  out.line(end === undefined ? "Not run: another process is already running it." : endText(end));
  return isOk ? exitCodes.ok : exitCodes.failed;
}

/** `hermes cron tick`: what is due now, once. */
export async function cronTick(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  let ended = 0;
  const tell = tellEnd(out);
  const onEnd: SchedulerDeps["onEnd"] = (taken, outcome) => {
    ended += 1;
    tell(taken, outcome);
  };
  await withScheduler(invocation, onEnd, (scheduler) => scheduler.tick(invocation.io.signal));
  out.document({ runs: ended });
  if (ended === 0) out.line("Nothing was due.");
  return exitCodes.ok;
}

function tellEnd(out: Output): NonNullable<SchedulerDeps["onEnd"]> {
  return ({ job }, outcome) => out.line(`${job.id} ${job.name}: ${endText(outcome)}`);
}

function endText(outcome: Parameters<NonNullable<SchedulerDeps["onEnd"]>>[1]): string {
  if (outcome.kind === "asleep") return "its script reported nothing.";
  return outcome.kind === "failed" ? `failed: ${outcome.error}` : outcome.text;
}

async function withScheduler<T>(
  { io, global }: Invocation,
  onEnd: SchedulerDeps["onEnd"],
  work: (scheduler: Scheduler) => Promise<T>,
): Promise<T> {
  const { openHermes } = await import("#app");
  await using hermes = await openHermes({
    env: io.env,
    cwd: io.cwd,
    version,
    onNotice: (text) => void io.stderr.write(`! ${text}\n`),
    profile: global.profile,
    ignoreUserConfig: global.ignoresUserConfig,
  });
  const { deliverer, sendOwed } = await targetsOf(hermes, io);
  const result = await work(await hermes.scheduler({ onEnd, deliverer }));
  if (!io.signal.aborted) await sendOwed(io.signal);
  return result;
}

import { UserError } from "#foundation/errors";
import { isAbort, linkSignals, timeLimit } from "#foundation/lifecycle/abort";
import type { EnvironmentRun } from "../env/environment-run.ts";
import { hasMetricsSink, openMetricsSink } from "../env/metrics-sink.ts";
import { type Registration, TrajectoryClient } from "./client.ts";
import { GroupLine, ItemSource } from "./group-line.ts";
import { helpServing } from "./help.ts";
import { passes, type QueueStatus, type ScheduleFacts, scheduleFor } from "./schedule.ts";
import type { Board, Lead, Served, SharedServe } from "./shared-serve.ts";
import { TrainingEvaluations } from "./training-evaluations.ts";

export interface ServeOptions {
  /** Groups that could not be sent are kept here. */
  readonly unsentFile: string;
  /** Other machines that feed the same trainer together with this one. */
  readonly shared?: SharedServe | undefined;
  onEvent(line: string): void;
  /** A number of steps has passed since the last evaluation. */
  evaluate(signal: AbortSignal): Promise<Readonly<Record<string, number>>>;
}

const pollMs = 100;
const idlePollMs = 500;

/**
 * Produces groups for a trainer until training is over. Where several machines do so together, one of them talks to the
 * trainer and all of them work; when it is gone, another takes its place.
 */
export async function serveEnvironment(
  run: EnvironmentRun,
  options: ServeOptions,
  signal: AbortSignal,
): Promise<Served> {
  const { modelName: model, runId: run_id, definition } = run;
  run.tell?.({ event: "run_started", env: definition.name, what: "serve", model, run_id, total: null });
  const served = await servedBy(run, options, signal);
  run.tell?.({ event: "run_finished", is_stopped: false });
  return served;
}

async function servedBy(run: EnvironmentRun, options: ServeOptions, signal: AbortSignal): Promise<Served> {
  const { shared } = options;
  const items = new ItemSource(() => run.environment.next());
  if (shared === undefined) return await feedTrainer(run, { options, items }, signal);
  for (;;) {
    const served =
      (await leadServing(run, { ...options, shared, items }, signal)) ??
      (await helpServing(run, { shared, slots: slotsOf(run) }, signal));
    if (served !== undefined) return served;
    options.onEvent("the machine that talked to the trainer is gone");
  }
}

/** Undefined when another machine leads. */
async function leadServing(
  run: EnvironmentRun,
  options: ServeOptions & { readonly shared: SharedServe; readonly items: ItemSource },
  signal: AbortSignal,
): Promise<Served | undefined> {
  const { shared, items } = options;
  const lost = new AbortController();
  await using lead = await shared.lead(() => lost.abort());
  if (lead === undefined) return undefined;
  const earlier = await shared.board();
  if (earlier?.isOver === true) return earlier.counts;
  try {
    return await feedTrainer(
      run,
      { options, items, others: { shared, lead }, earlier },
      linkSignals(signal, lost.signal),
    );
  } catch (error) {
    if (signal.aborted || !lost.signal.aborted) throw error;
    return undefined;
  }
}

interface Feeding {
  readonly options: ServeOptions;
  readonly items: ItemSource;
  readonly others?: { readonly shared: SharedServe; readonly lead: Lead } | undefined;
  readonly earlier?: Board | undefined;
}

async function feedTrainer(
  run: EnvironmentRun,
  { options, items, others, earlier }: Feeding,
  signal: AbortSignal,
): Promise<Served> {
  const { config, rollouts } = run;
  const client = new TrajectoryClient(config.rollout_server_url, rollouts.host.machine.clock);
  const charts = hasMetricsSink(run) ? await client.charts(signal) : undefined;
  const desired = config.wandb_name ?? run.definition.name;
  const facts = {
    max_token_length: config.max_token_length,
    desired_name: desired,
    weight: config.inference_weight,
    group_size: config.group_size,
    min_batch_allocation: config.min_batch_allocation,
  };
  if (earlier !== undefined) await client.disconnect(earlier.envId, signal);
  const registered = await client.register(facts, signal);
  options.onEvent(`registered as ${registered.wandb_name}`);
  const known = await client.info(signal);
  const batchSize = known?.batchSize ?? config.batch_size;
  if (batchSize > 0 && config.group_size > batchSize)
    throw new UserError(`group_size ${config.group_size} is larger than the trainer's batch of ${batchSize}.`, {
      exitCode: 2,
    });
  if (batchSize > 0 && batchSize % config.group_size !== 0)
    options.onEvent(`warning: the batch of ${batchSize} is no multiple of group_size ${config.group_size}`);
  const slots = slotsOf(run);
  const name = registered.wandb_name;
  await using sink = charts && (await openMetricsSink(run, { ...charts, name, prefix: `${name}_` }, signal));
  const line = new GroupLine(run, client, {
    ...{ ...options, items, others, earlier, slots, sink, name },
    ...{ maxTokens: known?.maxTokens, envId: registered.env_id },
  });
  const { onEvent } = options;
  const evaluate = async (at: number, stop: AbortSignal): Promise<void> => {
    const metrics = Object.entries(await options.evaluate(stop)).map(([key, value]) => [`${name}_${key}`, value]);
    await sink?.report({ step: at, metrics: Object.fromEntries(metrics), rollouts: [] });
  };
  const evaluations = new TrainingEvaluations({ config, onEvent, evaluate });
  const schedule: ScheduleFacts = {
    batchSize,
    groupSize: config.group_size,
    maxBatchesOffpolicy: config.max_batches_offpolicy,
    totalSteps: config.total_steps === -1 ? registered.num_steps : config.total_steps,
    minBatchAllocation: config.min_batch_allocation,
    limit: slots,
  };
  const register = () => client.register(facts, signal);
  const shared = others?.shared;
  return await keepFeeding(run, { client, line, evaluations, schedule, registered, register, shared }, signal);
}

interface FeedingLoop {
  readonly client: TrajectoryClient;
  readonly line: GroupLine;
  readonly evaluations: TrainingEvaluations;
  /** Its limit is that of this machine alone. */
  readonly schedule: ScheduleFacts;
  readonly registered: Registration;
  readonly register: () => Promise<Registration>;
  readonly shared: SharedServe | undefined;
}

/** Until training is over: as many groups in work as the trainer has room for, and evaluations as they are due. */
async function keepFeeding(
  { config, rollouts, servers }: EnvironmentRun,
  { client, line, evaluations, schedule, registered, register, shared }: FeedingLoop,
  signal: AbortSignal,
): Promise<Served> {
  const { clock } = rollouts.host.machine;
  let step = registered.starting_step;
  try {
    for (;;) {
      const status: QueueStatus | undefined = await client.status(line.envId, signal);
      if (status === undefined) {
        // The server was restarted, or is away: it takes us up again as soon as it can.
        line.envId = (await register()).env_id;
        continue;
      }
      servers.share(status.env_weight);
      if (passes(step, status.current_step, config.steps_per_eval)) evaluations.start(status.current_step, signal);
      if (status.current_step !== step) await line.report(status.current_step);
      step = status.current_step;
      const machines = 1 + ((await shared?.helpers()) ?? 0);
      const limit = evaluations.limit(schedule.limit * machines);
      const next = scheduleFor(status, { ...schedule, limit });
      if (next.kind === "finished") break;
      line.cancelOlderThan(config.worker_timeout);
      // A promised share of each batch asks for workers beyond any limit; an evaluation that stops training does not.
      line.keep(next.kind === "run" && limit > 0 ? next.workers : 0, signal);
      await line.post();
      if (line.isExhausted && line.running === 0) break;
      await clock.sleep(next.kind === "run" ? pollMs : idlePollMs, signal);
    }
    await line.stopAll();
    await line.post({ isOver: true });
    await evaluations.finished();
    await line.report(step);
  } finally {
    await line.stopAll();
    await evaluations.finished();
    await client.disconnect(line.envId, timeLimit(5000)).catch((error: unknown) => {
      if (!isAbort(error) && !(error instanceof DOMException)) throw error;
    });
  }
  return line.counts;
}

/** How many groups one machine works on at once. */
function slotsOf({ config, all }: EnvironmentRun): number {
  return config.max_num_workers > 0 ? config.max_num_workers : config.max_num_workers_per_node * all.servers.length;
}

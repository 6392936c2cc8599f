import { appendFile } from "node:fs/promises";
import path from "node:path";
import { UserError } from "#foundation/errors";
import { deadline, isAbort, linkSignals } from "#foundation/lifecycle/abort";
import { attemptGroup, type EnvironmentRun } from "../env/environment-run.ts";
import { judgeGroup, scoredGroup } from "../env/group.ts";
import { MetricsStream } from "../env/metrics-stream.ts";
import { type Registration, TrajectoryClient } from "./client.ts";
import { passes, type QueueStatus, type ScheduleFacts, scheduleFor } from "./schedule.ts";

export interface ServeOptions {
  /** Groups that could not be sent are kept here. */
  readonly unsentFile: string;
  onEvent(line: string): void;
  /** A number of steps has passed since the last evaluation. */
  evaluate(signal: AbortSignal): Promise<void>;
}

export interface Served {
  readonly sent: number;
  readonly skipped: number;
  readonly unsent: number;
}

const pollMs = 100;
const idlePollMs = 500;

interface Worker {
  readonly item: unknown;
  readonly stop: AbortController;
  readonly startedMs: number;
  readonly done: Promise<void>;
}

/** Produces groups for a trainer until training is over. */
export async function serveEnvironment(
  run: EnvironmentRun,
  options: ServeOptions,
  signal: AbortSignal,
): Promise<Served> {
  const { config, rollouts } = run;
  const { clock } = rollouts.host.machine;
  const client = new TrajectoryClient(config.rollout_server_url, clock);
  const desired = config.wandb_name ?? run.definition.name;
  const facts = {
    max_token_length: config.max_token_length,
    desired_name: desired,
    weight: config.inference_weight,
    group_size: config.group_size,
    min_batch_allocation: config.min_batch_allocation,
  };
  let registered: Registration = await client.register(facts, signal);
  options.onEvent(`registered as ${registered.wandb_name}`);
  const known = await client.info(signal);
  const batchSize = known?.batchSize ?? config.batch_size;
  if (batchSize > 0 && config.group_size > batchSize)
    throw new UserError(`group_size ${config.group_size} is larger than the trainer's batch of ${batchSize}.`, {
      exitCode: 2,
    });
  if (batchSize > 0 && batchSize % config.group_size !== 0)
    options.onEvent(`warning: the batch of ${batchSize} is no multiple of group_size ${config.group_size}`);
  const line = new GroupLine(run, client, { options, maxTokens: known?.maxTokens, name: registered.wandb_name });
  const perServer = config.max_num_workers_per_node * run.all.servers.length;
  const schedule: ScheduleFacts = {
    batchSize,
    groupSize: config.group_size,
    maxBatchesOffpolicy: config.max_batches_offpolicy,
    totalSteps: config.total_steps === -1 ? registered.num_steps : config.total_steps,
    minBatchAllocation: config.min_batch_allocation,
    limit: config.max_num_workers > 0 ? config.max_num_workers : perServer,
  };
  let step = registered.starting_step;
  try {
    for (;;) {
      const status: QueueStatus | undefined = await client.status(registered.env_id, signal);
      if (status === undefined) {
        // The server was restarted, or is away: it takes us up again as soon as it can.
        registered = await client.register(facts, signal);
        continue;
      }
      if (passes(step, status.current_step, config.steps_per_eval)) await options.evaluate(signal);
      step = status.current_step;
      const next = scheduleFor(status, schedule);
      if (next.kind === "finished") break;
      line.cancelOlderThan(config.worker_timeout);
      line.keep(next.kind === "run" ? next.workers : 0, registered.env_id, signal);
      if (line.isExhausted && line.running === 0) break;
      await clock.sleep(next.kind === "run" ? pollMs : idlePollMs, signal);
    }
  } finally {
    await line.stopAll();
    await client.disconnect(registered.env_id, AbortSignal.timeout(5000)).catch((error: unknown) => {
      if (!isAbort(error) && !(error instanceof DOMException)) throw error;
    });
  }
  return line.counts;
}

/** The groups that are worked on right now. */
class GroupLine {
  readonly #run: EnvironmentRun;
  readonly #client: TrajectoryClient;
  readonly #options: ServeOptions;
  readonly #maxTokens: number | undefined;
  readonly #metrics: MetricsStream;
  readonly #workers = new Set<Worker>();
  readonly #backlog: unknown[] = [];
  readonly #counts = { sent: 0, skipped: 0, unsent: 0 };
  #number = 0;
  isExhausted = false;

  constructor(
    run: EnvironmentRun,
    client: TrajectoryClient,
    at: { readonly options: ServeOptions; readonly maxTokens: number | undefined; readonly name: string },
  ) {
    const { options, maxTokens, name } = at;
    this.#run = run;
    this.#client = client;
    this.#options = options;
    this.#maxTokens = maxTokens;
    const file = path.join(path.dirname(options.unsentFile), "metrics_stream.jsonl");
    this.#metrics = new MetricsStream(run, { file, prefix: `${name}_`, maxTokens });
  }

  get running(): number {
    return this.#workers.size;
  }

  get counts(): Served {
    return { ...this.#counts };
  }

  /** As many workers as this: new ones begin, surplus ones are stopped and their items wait. */
  keep(wanted: number, envId: number, signal: AbortSignal): void {
    const surplus = [...this.#workers].slice(0, Math.max(0, this.#workers.size - wanted));
    for (const worker of surplus) {
      this.#backlog.push(worker.item);
      this.#stop(worker);
    }
    while (this.#workers.size < wanted) {
      const item = this.#backlog.shift() ?? this.#run.environment.next();
      if (item === undefined) {
        this.isExhausted = true;
        return;
      }
      this.#start(item, envId, signal);
    }
  }

  cancelOlderThan(seconds: number): void {
    if (seconds < 0) return;
    const now = this.#run.rollouts.host.machine.clock.now();
    for (const worker of this.#workers) if (now - worker.startedMs > seconds * 1000) this.#stop(worker);
  }

  async stopAll(): Promise<void> {
    const left = [...this.#workers];
    for (const worker of left) this.#stop(worker);
    using limit = deadline(15_000);
    await Promise.race([
      Promise.all(left.map(({ done }) => done)),
      new Promise((resolve) => limit.signal.addEventListener("abort", resolve, { once: true })),
    ]);
  }

  #stop(worker: Worker): void {
    this.#workers.delete(worker);
    worker.stop.abort();
  }

  #start(item: unknown, envId: number, signal: AbortSignal): void {
    const stop = new AbortController();
    const key = `serve_${this.#number++}`;
    const done = this.#work({ item, key, envId }, linkSignals(signal, stop.signal)).then(() => {
      this.#workers.delete(worker);
    });
    const worker: Worker = { item, stop, startedMs: this.#run.rollouts.host.machine.clock.now(), done };
    this.#workers.add(worker);
  }

  async #work(
    { item, key, envId }: { readonly item: unknown; readonly key: string; readonly envId: number },
    signal: AbortSignal,
  ): Promise<void> {
    const { config, rollouts } = this.#run;
    try {
      const attempted = await attemptGroup({ item, key, size: config.group_size }, this.#run, signal);
      const group = {
        ...scoredGroup(attempted, {
          temperature: config.agent_temperature,
          hasMessages: config.include_messages,
          fillsLogprobs: true,
        }),
        env_id: envId,
      };
      const verdict = judgeGroup(group, {
        groupSize: config.group_size,
        refusesEqualScores: config.ensure_scores_are_not_same,
        maxTokens: this.#maxTokens,
      });
      const { attempts, distillation } = attempted;
      if (verdict.kind === "skipped") {
        this.#counts.skipped += 1;
        this.#options.onEvent(`a group is not sent: ${verdict.why}`);
        return;
      }
      if (config.data_path_to_save_groups !== null)
        await appendFile(config.data_path_to_save_groups, `${JSON.stringify(group)}\n`);
      if (await this.#client.submit(group, signal)) this.#counts.sent += 1;
      else {
        this.#counts.unsent += 1;
        await appendFile(this.#options.unsentFile, `${JSON.stringify(group)}\n`);
      }
      const { sent, skipped } = this.#counts;
      const counts = { "train/items_sent_to_api": sent, "train/items_rejected": skipped };
      await this.#metrics.add({ item, attempts, notes: distillation?.metrics ?? {} }, counts);
    } catch (error) {
      if (signal.aborted) return;
      rollouts.host.machine.logger.error("a group failed", { key, error: String(error) });
    }
  }
}

import { randomBytes } from "node:crypto";
import { groupsSummingTo, takeBatch, type WaitingGroup } from "./batches.ts";
import type { EnvironmentFacts, Registration } from "./client.ts";
import type { QueueStatus } from "./schedule.ts";

export interface TrainerFacts {
  readonly wandb_group: string;
  readonly wandb_project: string;
  readonly batch_size: number;
  readonly max_token_len: number;
  readonly checkpoint_dir: string;
  readonly save_checkpoint_interval: number;
  readonly starting_step: number;
  readonly num_steps: number;
}

interface RegisteredEnvironment extends EnvironmentFacts {
  readonly id: number;
  groupSize: number;
  isConnected: boolean;
}

const smallestWeight = 0.01;

/** What a trajectory API server remembers: a trainer, its environments, and the groups between them. */
export class TrajectoryQueue {
  #trainer: TrainerFacts | undefined;
  #hasStarted = false;
  #step = 0;
  #queue: readonly WaitingGroup[] = [];
  #formed: (readonly WaitingGroup[])[] = [];
  readonly #environments: RegisteredEnvironment[] = [];
  readonly #buffers = new Map<number, WaitingGroup[]>();
  #latest: WaitingGroup | undefined;

  get trainer(): TrainerFacts | undefined {
    return this.#trainer;
  }

  get latest(): WaitingGroup | undefined {
    return this.#latest;
  }

  /** 128 bits, as decimal digits. The first trainer decides; others only get a number. */
  registerTrainer(facts: TrainerFacts): string {
    if (this.#trainer === undefined) {
      this.#trainer = facts;
      this.#step = facts.starting_step;
    }
    return BigInt(`0x${randomBytes(16).toString("hex")}`).toString();
  }

  /** Undefined: the trainer has not begun. */
  registerEnvironment(facts: EnvironmentFacts): Registration | undefined {
    const trainer = this.#trainer;
    if (trainer === undefined || !this.#hasStarted) return undefined;
    const id = this.#environments.length;
    const namesakes = this.#environments.filter(({ desired_name }) => desired_name === facts.desired_name).length;
    this.#environments.push({ ...facts, id, groupSize: facts.group_size, isConnected: true });
    return {
      env_id: id,
      wandb_name: `${facts.desired_name}_${namesakes}`,
      checkpoint_dir: trainer.checkpoint_dir,
      starting_step: this.#step,
      checkpoint_interval: trainer.save_checkpoint_interval,
      num_steps: trainer.num_steps,
    };
  }

  disconnect(envId: number): boolean {
    const environment = this.#environments[envId];
    if (environment !== undefined) environment.isConnected = false;
    return environment !== undefined;
  }

  /** A group of another size than was announced waits until some of them make up that size. */
  submit(
    group: WaitingGroup,
  ): { readonly status: "received" } | { readonly status: "buffered"; readonly buffer_size: number } {
    const environment = typeof group.env_id === "number" ? this.#environments[group.env_id] : undefined;
    if (environment === undefined || group.tokens.length === environment.groupSize) {
      this.#enqueue(group);
      return { status: "received" };
    }
    const buffer = [...(this.#buffers.get(environment.id) ?? []), group];
    const chosen = new Set(
      groupsSummingTo(
        buffer.map(({ tokens }) => tokens.length),
        environment.groupSize,
      ),
    );
    for (const [index, waiting] of buffer.entries()) if (chosen.has(index)) this.#enqueue(waiting);
    const left = buffer.filter((_, index) => !chosen.has(index));
    this.#buffers.set(environment.id, left);
    return { status: "buffered", buffer_size: sequencesIn(left) };
  }

  /** The next batch for the trainer; its first question is the beginning of training. */
  nextBatch(): readonly WaitingGroup[] | undefined {
    this.#hasStarted = true;
    if (this.#formed.length === 0) this.#formBatches();
    return this.#formed.pop();
  }

  get status(): { readonly current_step: number; readonly queue_size: number } {
    return { current_step: this.#step, queue_size: this.#queue.length };
  }

  /** Undefined for an environment nobody registered. */
  statusOf(envId: number): QueueStatus | undefined {
    const own = this.#environments[envId];
    if (own === undefined) return undefined;
    const connected = this.#environments.filter(({ isConnected }) => isConnected);
    const total = connected.reduce((sum, one) => sum + one.max_token_length * Math.max(0, one.weight), 0);
    const largest = Math.max(1, ...this.#queue.map(({ tokens }) => tokens.length));
    const mine = this.#queue.filter(({ env_id }) => env_id === envId);
    own.groupSize = Math.max(own.groupSize, ...mine.map(({ tokens }) => tokens.length));
    const shares = connected.reduce((sum, one) => sum + (one.min_batch_allocation ?? 0), 0);
    const waiting = sequencesIn(mine) + this.#fromOthers(envId, largest);
    return {
      current_step: this.#step,
      queue_size: Math.floor(waiting / own.groupSize),
      unallocated_fraction: 1 - Math.min(shares, 1),
      self_queue_size: Math.floor(sequencesIn(mine) / own.groupSize),
      max_group_size: largest,
      env_weight: Math.max(smallestWeight, (own.max_token_length * own.weight) / total),
    };
  }

  reset(): void {
    this.#trainer = undefined;
    this.#hasStarted = false;
    this.#step = 0;
    this.#queue = [];
    this.#formed = [];
    this.#environments.splice(0);
    this.#buffers.clear();
    this.#latest = undefined;
  }

  #enqueue(group: WaitingGroup): void {
    this.#queue = [...this.#queue, group];
    this.#latest = group;
  }

  /** What other environments have waiting beyond what is promised to them. */
  #fromOthers(envId: number, largest: number): number {
    if (largest <= 1) return 0;
    const counts = new Map<unknown, number>();
    for (const { env_id, tokens } of this.#queue)
      if (env_id !== envId) counts.set(env_id, (counts.get(env_id) ?? 0) + tokens.length);
    let sum = 0;
    for (const [other, count] of counts) {
      const share = this.#promised().find((one) => one.envId === other)?.share ?? 0;
      const least = Math.floor((this.#trainer?.batch_size ?? 0) * share);
      sum += Math.max(0, Math.ceil(count / largest) * largest - least);
    }
    return sum;
  }

  #promised(): readonly { readonly envId: number; readonly share: number }[] {
    return this.#environments.flatMap(({ id, isConnected, min_batch_allocation: share }) =>
      isConnected && share !== null ? [{ envId: id, share }] : [],
    );
  }

  /** All batches that can be formed; each is a step. */
  #formBatches(): void {
    const size = this.#trainer?.batch_size ?? 0;
    for (;;) {
      const taken = takeBatch(this.#queue, size, this.#promised());
      if (taken === undefined) return;
      this.#queue = taken.rest;
      this.#formed.push(taken.batch);
      this.#step += 1;
    }
  }
}

function sequencesIn(groups: readonly WaitingGroup[]): number {
  return groups.reduce((sum, { tokens }) => sum + tokens.length, 0);
}

/** What the trajectory API tells an environment about itself. */
export interface QueueStatus {
  readonly current_step: number;
  /** In groups of this environment. */
  readonly queue_size: number;
  readonly self_queue_size: number;
  readonly max_group_size: number;
  readonly unallocated_fraction: number;
  readonly env_weight: number;
}

export interface ScheduleFacts {
  readonly batchSize: number;
  readonly groupSize: number;
  readonly maxBatchesOffpolicy: number;
  readonly totalSteps: number;
  readonly minBatchAllocation: number | null;
  /** Most workers at once. */
  readonly limit: number;
}

export type Schedule =
  /** Training is over, counting what waits already. */
  | { readonly kind: "finished" }
  /** The trainer has enough data. */
  | { readonly kind: "paused" }
  | { readonly kind: "run"; readonly workers: number };

/** How many groups are worked on now, from how much the trainer has waiting. */
export function scheduleFor(status: QueueStatus, facts: ScheduleFacts): Schedule {
  const { batchSize: batch, groupSize: group, maxBatchesOffpolicy: ahead, minBatchAllocation: share } = facts;
  if (batch <= 0) return { kind: "paused" };
  const { queue_size: queued, self_queue_size: own, max_group_size } = status;
  if (status.current_step + Math.floor((queued * group) / batch) > facts.totalSteps) return { kind: "finished" };
  const largest = Math.max(1, max_group_size);
  const packs = share === null ? 0 : Math.ceil((share * batch * ahead) / largest);
  const hasShare = share === null || packs * Math.floor(largest / group) <= own;
  if (ahead > 0 && queued * group >= ahead * batch && hasShare) return { kind: "paused" };
  const due = Math.floor(batch * (status.unallocated_fraction + (share ?? 0)));
  let workers = Math.min(facts.limit, Math.floor((ahead * due) / group) - queued);
  if (share !== null)
    workers = Math.max(workers, Math.ceil(((packs + Math.floor(largest / group)) * largest - own * group) / group), 0);
  return workers <= 0 ? { kind: "paused" } : { kind: "run", workers };
}

/** A step counter passed a multiple of `every`. */
export function passes(before: number, after: number, every: number): boolean {
  return every > 0 && Math.floor(after / every) > Math.floor(before / every);
}

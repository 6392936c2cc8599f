import { describe, expect, it } from "vitest";
import { judgeGroup, type ScoredGroup } from "../env/group.ts";
import { groupsSummingTo, takeBatch } from "./batches.ts";
import { type QueueStatus, scheduleFor } from "./schedule.ts";
import { TrajectoryQueue } from "./trajectory-queue.ts";

const groupOf = (size: number, envId = 0) => ({ tokens: Array.from({ length: size }, () => [1]), env_id: envId });
const sizes = (groups: readonly { readonly tokens: readonly unknown[] }[] | undefined) =>
  groups?.map(({ tokens }) => tokens.length);

describe("batches for a trainer", () => {
  it("are exactly as large as asked for, from packs as large as the largest group [50:5.8.10]", () => {
    expect(sizes(takeBatch([groupOf(4), groupOf(2), groupOf(2)], 8)?.batch)).toEqual([4, 2, 2]);
    expect(takeBatch([groupOf(3), groupOf(3), groupOf(3)], 8)).toBeUndefined();
    expect(takeBatch([groupOf(4), groupOf(2)], 6)).toBeUndefined();
  });

  it("hold what is promised to an environment [50:5.2]", () => {
    const queue = [groupOf(2, 0), groupOf(2, 0), groupOf(2, 1), groupOf(2, 0)];
    const taken = takeBatch(queue, 4, [{ envId: 1, share: 0.5 }]);
    expect(taken?.batch.map(({ env_id }) => env_id)).toEqual([1, 0]);
    expect(takeBatch(queue.slice(0, 2), 4, [{ envId: 1, share: 0.5 }])).toBeUndefined();
  });

  it("are fed by groups of other sizes once those add up [50:5.8.9]", () => {
    expect(groupsSummingTo([3, 2, 1], 4)).toEqual([0, 2]);
    expect(groupsSummingTo([3, 3, 2, 2], 4)).toEqual([2, 3]);
    expect(groupsSummingTo([3, 3], 4)).toEqual([]);
    const queue = new TrajectoryQueue();
    const number = queue.registerTrainer({
      ...{ wandb_group: "g", wandb_project: "p", batch_size: 4, max_token_len: 10, checkpoint_dir: "" },
      ...{ save_checkpoint_interval: 0, starting_step: 0, num_steps: 3 },
    });
    expect(number).toMatch(/^\d{20,39}$/);
    const facts = { max_token_length: 10, desired_name: "e", weight: 1, group_size: 4, min_batch_allocation: null };
    expect(queue.registerEnvironment(facts)).toBeUndefined();
    expect(queue.nextBatch()).toBeUndefined();
    expect(queue.registerEnvironment(facts)).toMatchObject({ env_id: 0, wandb_name: "e_0", num_steps: 3 });
    expect(queue.submit(groupOf(2))).toEqual({ status: "buffered", buffer_size: 2 });
    expect(queue.submit(groupOf(2))).toEqual({ status: "buffered", buffer_size: 0 });
    expect(queue.statusOf(0)).toMatchObject({
      queue_size: 1,
      self_queue_size: 1,
      env_weight: 1,
      unallocated_fraction: 1,
    });
    expect(queue.statusOf(7)).toBeUndefined();
    expect(sizes(queue.nextBatch())).toEqual([2, 2]);
    expect(queue.status).toEqual({ current_step: 1, queue_size: 0 });
  });
});

describe("how much is worked on", () => {
  const status = (queue_size: number, current_step = 0): QueueStatus => ({
    ...{ queue_size, current_step, self_queue_size: 0, max_group_size: 4, unallocated_fraction: 1, env_weight: 1 },
  });
  const facts = {
    batchSize: 128,
    groupSize: 4,
    maxBatchesOffpolicy: 3,
    totalSteps: 10,
    minBatchAllocation: null,
    limit: 8,
  };

  it("follows what the trainer has waiting [50:5.8.7]", () => {
    expect(scheduleFor(status(90), facts)).toEqual({ kind: "run", workers: 6 });
    expect(scheduleFor(status(96), facts)).toEqual({ kind: "paused" });
  });

  it("ends with the last step, counting what waits [50:5.8.8]", () => {
    expect(scheduleFor(status(64, 9), facts)).toEqual({ kind: "finished" });
  });
});

describe("a group", () => {
  const group = (scores: readonly number[], length = 3): ScoredGroup => ({
    tokens: scores.map(() => Array.from({ length }, () => 1)),
    masks: [],
    scores,
    ...{ inference_logprobs: null, messages: null, advantages: null, ref_logprobs: null, generation_params: null },
    ...{ overrides: null, group_overrides: null, images: null, env_id: 0 },
  });
  const rules = { groupSize: 4, refusesEqualScores: true, maxTokens: 8192 };

  it("is sent unless all scores are the same or it is too long or too small [50:5.8.3] [50:5.8.4]", () => {
    expect(judgeGroup(group([1, 1, 1, 1]), rules).kind).toBe("skipped");
    expect(judgeGroup(group([1, 0, 1, 1]), rules).kind).toBe("sent");
    expect(judgeGroup(group([1, 0, 1, 1], 8192), rules).kind).toBe("skipped");
    expect(judgeGroup(group([1, 0, 1, 1], 8191), rules).kind).toBe("sent");
    expect(judgeGroup(group([1, 0]), rules).kind).toBe("skipped");
  });
});

import { readFile } from "node:fs/promises";
import { UserError } from "#foundation/errors";
import { isRecord } from "#foundation/text/json";

type Values = Readonly<Record<string, unknown>>;

/** What nobody may change about a run: the trainer and its model server are set up for exactly this. */
export interface TrainingProfile {
  readonly env: Values;
  readonly openai: readonly Values[];
  /** The section of the trainer itself. */
  readonly tinker: Values;
}

const hosted: TrainingProfile = {
  env: {
    tokenizer_name: "Qwen/Qwen3-8B",
    rollout_server_url: "http://localhost:8000",
    use_wandb: true,
    max_token_length: 8192,
    max_num_workers: 2048,
    worker_timeout: 3600,
    total_steps: 2500,
    steps_per_eval: 25,
    max_batches_offpolicy: 3,
    inference_weight: 1,
    eval_limit_ratio: 0.1,
  },
  openai: [
    {
      model_name: "Qwen/Qwen3-8B",
      base_url: "http://localhost:8001/v1",
      api_key: "x",
      weight: 1,
      num_requests_for_eval: 256,
      timeout: 3600,
      server_type: "sglang",
    },
  ],
  tinker: {
    lora_rank: 32,
    learning_rate: 4e-5,
    max_token_trainer_length: 9000,
    checkpoint_dir: "./temp/",
    save_checkpoint_interval: 25,
  },
};

/** The person's own file, else the fields of the hosted trainer. */
export async function readProfile(file: string | undefined): Promise<TrainingProfile> {
  if (file === undefined) return hosted;
  const { parse } = await import("yaml");
  const value: unknown = parse(await readFile(file, "utf8")) ?? {};
  if (!isRecord(value))
    throw new UserError(`${file} holds no fields.`, { hint: "It has the groups env, openai, tinker." });
  const { env = {}, openai = [], tinker = {} } = value;
  return {
    env: isRecord(env) ? env : {},
    openai: (Array.isArray(openai) ? openai : [openai]).filter(isRecord),
    tinker: isRecord(tinker) ? tinker : {},
  };
}

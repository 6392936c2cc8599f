import { UserError } from "#foundation/errors";
import { taskRows } from "../datasets/task-rows.ts";
import { type AgentResult, cycle, defineEnvironment, type EnvironmentContext } from "../env/environment.ts";
import { mean } from "../statistics.ts";
import { codingTasks } from "./coding-tasks.ts";
import { distillGroup } from "./distillation.ts";

/** A function to write, with the asserts that it has to pass. */
export interface CodingTask {
  readonly task: string;
  readonly testCode: string;
}

const testSeconds = 60;

/** Small functions with tests; every reply is also scored as the model would have written it with a hint. */
export const agenticOpd = defineEnvironment<CodingTask>({
  name: "agentic-opd",
  about: "Small programming tasks with tests, and on-policy distillation from hints",
  needsIsolation: true,
  config: {
    enabled_toolsets: ["terminal", "file"],
    max_agent_turns: 15,
    max_token_length: 4096,
    group_size: 4,
    total_steps: 500,
    steps_per_eval: 50,
    terminal_backend: "docker",
    dataset_name: null,
    dataset_split: "train",
    correctness_weight: 0.7,
    efficiency_weight: 0.15,
    tool_usage_weight: 0.15,
    distill: true,
    distill_topk: 50,
    prm_votes: 3,
    hint_max_next_state_chars: 4000,
    eval_size: 2,
  },
  async open(context) {
    const { own, env } = context.config;
    const { scoreReply } = context;
    if (own["distill"] === true && scoreReply === undefined)
      throw new UserError("agentic-opd needs a server that tells its tokens and scores prompts.", {
        hint: "Use --openai.server_type vllm or sglang with --env.tokenizer_name <folder>, or leave the distillation out: --env.distill false",
        exitCode: 2,
      });
    const tasks = await tasksOf(context);
    const heldOut = Math.min(Number(own["eval_size"]), tasks.length - 1);
    const weights = ["correctness_weight", "efficiency_weight", "tool_usage_weight"].map((name) => Number(own[name]));
    return {
      next: cycle(tasks.slice(heldOut)),
      evaluation: tasks.slice(0, heldOut),
      prompt: ({ task, testCode }) =>
        `${task}\n\nWrite your solution into solution.py and try it. These tests have to pass:\n${testCode}`,
      nameOf: ({ task }) => task.slice(0, 60),
      async reward({ testCode }, result, tools) {
        await tools.writeFile("test_solution.py", testCode);
        const ran = await tools.terminal("python3 test_solution.py", testSeconds);
        const correctness = correctnessOf(ran);
        const efficiency = efficiencyOf(result.turns_used, env.max_agent_turns);
        const toolUse = toolUseOf(result);
        const [c = 0, e = 0, t = 0] = weights;
        return {
          reward: c * correctness + e * efficiency + t * toolUse,
          details: { correctness, efficiency, tool_usage: toolUse },
        };
      },
      ...(own["distill"] === true && scoreReply !== undefined
        ? {
            distill: (_task, rollouts, signal) =>
              distillGroup(
                rollouts,
                {
                  judge: context.judge,
                  scoreReply,
                  logger: context.logger,
                  system: env.system_prompt ?? "",
                  votes: Number(own["prm_votes"]),
                  topK: Number(own["distill_topk"]),
                  mostChars: Number(own["hint_max_next_state_chars"]),
                },
                signal,
              ),
          }
        : {}),
      trainMetrics: (results) => ({
        "train/avg_reward": mean(results.map(({ reward }) => reward)),
        "train/pass_rate": mean(results.map(({ details }) => (Number(details["correctness"]) >= 0.8 ? 1 : 0))),
        "train/total_rollouts": results.length,
      }),
      metrics: (results) => ({
        "eval/pass_rate": mean(results.map(({ details }) => (Number(details["correctness"]) >= 0.8 ? 1 : 0))),
        "eval/mean_correctness": mean(results.map(({ details }) => Number(details["correctness"] ?? 0))),
      }),
    };
  },
});

async function tasksOf({ config, cwd, env }: EnvironmentContext): Promise<readonly CodingTask[]> {
  const { dataset_name: name } = config.env;
  if (name === null) return codingTasks;
  const rows = await taskRows(config.env, { cwd, env });
  const tasks = rows.flatMap(({ task, test_code: testCode }) =>
    typeof task === "string" && typeof testCode === "string" ? [{ task, testCode }] : [],
  );
  if (tasks.length < 2)
    throw new UserError(`${name} has ${tasks.length} rows with task and test_code; two are needed.`, { exitCode: 2 });
  return tasks;
}

export function correctnessOf(ran: { readonly exit_code: number; readonly output: string }): number {
  if (ran.exit_code === 0) return /passed/i.test(ran.output) ? 1 : 0.8;
  return ran.output.includes("AssertionError") ? 0.2 : 0.1;
}

export function efficiencyOf(turns: number, most: number): number {
  if (turns <= 3) return 1;
  if (turns <= most / 2) return 0.8;
  return turns <= most * 0.75 ? 0.5 : 0.2;
}

export function toolUseOf({ messages }: Pick<AgentResult, "messages">): number {
  const used = new Set(
    messages.flatMap((message) =>
      message.role === "assistant" ? (message.tool_calls ?? []).map((call) => call.function.name) : [],
    ),
  );
  if (!used.has("terminal")) return used.size > 0 ? 0.3 : 0;
  return used.has("write_file") || used.has("patch") ? 1 : 0.6;
}

import type { DatasetRow } from "../datasets/read-rows.ts";
import { taskRows } from "../datasets/task-rows.ts";
import { cycle, defineEnvironment } from "../env/environment.ts";
import { mean } from "../statistics.ts";

const testSeconds = 60;
const heldOut = 0.1;
const marker = ".hermes-start";

/** Programming tasks from any dataset that has a prompt and a test. */
export const hermesSwe = defineEnvironment<DatasetRow>({
  name: "hermes-swe",
  about: "Programming tasks with tests, from a dataset",
  needsIsolation: true,
  config: {
    enabled_toolsets: ["terminal", "file", "web"],
    max_agent_turns: 30,
    max_token_length: 4096,
    group_size: 4,
    dataset_name: "bigcode/humanevalpack",
    dataset_split: "test",
    total_steps: 500,
    steps_per_eval: 50,
    terminal_backend: "docker",
    workspace: "/workspace",
  },
  async open(context) {
    const rows = await taskRows(context.config.env, context);
    const evaluation = rows.slice(0, Math.floor(rows.length * heldOut));
    const folder = String(context.config.own["workspace"]);
    const field = context.config.env.prompt_field;
    return {
      next: cycle(rows.slice(evaluation.length)),
      evaluation,
      prompt: (row) => {
        const test = testOf(row);
        const words = String(row[field] ?? "");
        return test === undefined ? words : `${words}\n\nThese tests have to pass:\n${test}`;
      },
      rollout: () => ({ terminal: { cwd: context.config.env.terminal_backend === "local" ? undefined : folder } }),
      prepare: async (_row, tools) => void (await tools.terminal(`mkdir -p '${folder}'; touch ${marker}`)),
      async reward(row, _result, tools) {
        const test = testOf(row);
        if (test === undefined) return 0;
        await tools.writeFile("hermes_reward_test.py", test);
        const ran = await tools.terminal("python3 hermes_reward_test.py", testSeconds);
        if (ran.exit_code === 0) return 1;
        const written = await tools.terminal(
          `find . -name '*.py' ! -name hermes_reward_test.py -newer ${marker} | head -1`,
        );
        return written.output.trim() === "" ? 0 : 0.1;
      },
      trainMetrics: (results) => ({
        "train/avg_reward": mean(results.map(({ reward }) => reward)),
        "train/pass_rate": mean(results.map(({ reward }) => (reward === 1 ? 1 : 0))),
      }),
      metrics: (results) => ({
        "eval/pass_rate": results.filter(({ reward }) => reward === 1).length / Math.max(1, results.length),
      }),
    };
  },
});

function testOf(row: DatasetRow): string | undefined {
  return ["test", "test_code", "tests"]
    .map((name) => row[name])
    .find((one): one is string => typeof one === "string" && one !== "");
}

import { cycle, defineEnvironment } from "../env/environment.ts";
import { mean } from "../statistics.ts";

interface FileTask {
  readonly prompt: string;
  readonly verify_path: string;
  readonly expected_content: string;
}

const training: readonly FileTask[] = [
  {
    prompt: "Create the file ~/greeting.txt. It has to hold exactly this sentence: Hello from Hermes Agent",
    verify_path: "~/greeting.txt",
    expected_content: "Hello from Hermes Agent",
  },
  {
    prompt: "Create the file ~/count.txt with the numbers from 1 to 5, one on each line.",
    verify_path: "~/count.txt",
    expected_content: "1\n2\n3\n4\n5",
  },
  {
    prompt: "Work out 123 + 456 and write the result, and nothing else, into the file ~/answer.txt.",
    verify_path: "~/answer.txt",
    expected_content: "579",
  },
];

const evaluation: readonly FileTask[] = [
  {
    prompt: "Work out 6 times 7 and write the result, and nothing else, into the file ~/result.txt.",
    verify_path: "~/result.txt",
    expected_content: "42",
  },
];

/** Files with known contents: tries the whole stack, from the model to the reward, without a dataset. */
export const terminalTest = defineEnvironment<FileTask>({
  name: "terminal-test",
  about: "Write files with known contents; tries the whole stack without a dataset",
  config: {
    enabled_toolsets: ["terminal", "file"],
    max_agent_turns: 10,
    max_token_length: 16_000,
    group_size: 3,
    total_steps: 3,
    steps_per_eval: 3,
    ensure_scores_are_not_same: false,
    system_prompt:
      "You are a helpful assistant with a terminal and tools for files. Do exactly what is asked, with these tools, and say so when it is done.",
  },
  server: { health_check: false },
  open: () =>
    Promise.resolve({
      next: cycle(training),
      evaluation,
      prompt: ({ prompt }) => prompt,
      nameOf: ({ verify_path }) => verify_path,
      async reward({ verify_path, expected_content }, _result, tools) {
        const text = await tools.readText(verify_path);
        if (text === undefined) return 0;
        if (text.trim() === expected_content) return 1;
        return text.includes(expected_content) ? 0.5 : 0;
      },
      trainMetrics: (results) => ({
        "train/avg_reward": mean(results.map(({ reward }) => reward)),
        "train/accuracy": mean(results.map(({ reward }) => (reward === 1 ? 1 : 0))),
        "train/partial_match_rate": mean(results.map(({ reward }) => (reward === 0.5 ? 1 : 0))),
        "train/total_rollouts": results.length,
      }),
    }),
});

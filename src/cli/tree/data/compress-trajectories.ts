import type { Command } from "../../command.ts";

export const compressTrajectoriesCommand: Command = {
  name: "compress-trajectories",
  about: "Shorten trajectories to a number of tokens for training",
  examples: [
    "hermes compress-trajectories --input data/first --tokenizer models/qwen --target-max-tokens 16000",
    "hermes compress-trajectories --input trajectories.jsonl --tokenizer models/qwen --summarizer none",
  ],
  flags: [
    {
      name: "input",
      kind: "text",
      value: "<path>",
      about: "A file of trajectories, or a folder of them",
      completes: "file",
    },
    {
      name: "output",
      kind: "text",
      value: "<path>",
      about: "Where the result goes (beside the input)",
      completes: "file",
    },
    { name: "options", kind: "text", value: "<file>", about: "A YAML file with groups of options", completes: "file" },
    { name: "target-max-tokens", kind: "text", value: "<n>", about: "Maximum tokens per trajectory (15250)" },
    {
      name: "tokenizer",
      kind: "text",
      value: "<name>",
      about: "A folder with tokenizer.json, or a model in the local cache",
      completes: "file",
    },
    {
      name: "summarizer",
      kind: "text",
      value: "<how>",
      about: "model asks one; none lists the calls instead",
      choices: ["model", "none"],
    },
    { name: "sample-percent", kind: "text", value: "<n>", about: "Only this percentage of the trajectories" },
    { name: "seed", kind: "text", value: "<n>", about: "The same number draws the same ones (42)" },
    { name: "dry-run", kind: "switch", about: "Write nothing" },
  ],
  run: async (invocation) =>
    (await import("../../commands/compress-trajectories/compress-trajectories.ts")).compressTrajectories(invocation),
};

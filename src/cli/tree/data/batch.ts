import type { Command, Flag } from "../../command.ts";

/** Which model a run of rollouts talks to. */
const modelFlags: readonly Flag[] = [
  { name: "model", short: "m", kind: "text", value: "<name>", about: "The model, or provider:model" },
  { name: "provider", kind: "text", value: "<id>", about: "Where the model is", completes: "provider" },
  { name: "base-url", kind: "text", value: "<url>", about: "An endpoint of your own" },
  { name: "api-key", kind: "text", value: "<key>", about: "The key for --base-url; better in .env" },
];

export const batchCommand: Command = {
  name: "batch",
  about: "Run the agent over a dataset of prompts and keep the trajectories",
  examples: [
    "hermes batch --dataset-file prompts.jsonl --run-name first --num-workers 8",
    "hermes batch --dataset-file prompts.jsonl --run-name first --resume",
    "hermes batch --list-distributions",
  ],
  flags: [
    {
      name: "dataset-file",
      kind: "text",
      value: "<file>",
      about: "JSONL, JSON, CSV or Parquet, or a folder of them",
      completes: "file",
    },
    { name: "batch-size", kind: "text", value: "<n>", about: "Prompts per batch file (10)" },
    { name: "run-name", kind: "text", value: "<name>", about: "The results are in data/<name>/" },
    {
      name: "output-dir",
      kind: "text",
      value: "<folder>",
      about: "Where data/<name> is made (here)",
      completes: "file",
    },
    { name: "distribution", kind: "text", value: "<name>", about: "Which toolsets the prompts get (default)" },
    { name: "list-distributions", kind: "switch", about: "Show the distributions and leave" },
    ...modelFlags,
    { name: "max-turns", kind: "text", value: "<n>", about: "Most steps per prompt (10)" },
    { name: "num-workers", kind: "text", value: "<n>", about: "Batches worked on at the same time (4)" },
    { name: "resume", kind: "switch", about: "Resume a run; finished items are not repeated" },
    { name: "overwrite", kind: "switch", about: "Delete what an earlier run of this name left" },
    { name: "max-samples", kind: "text", value: "<n>", about: "Only the first rows" },
    { name: "dataset-split", kind: "text", value: "<name>", about: "Of a folder in the Hugging Face layout (train)" },
    { name: "prompt-field", kind: "text", value: "<name>", about: "The column with the prompts (prompt)" },
    { name: "ephemeral-system-prompt", kind: "text", value: "<text>", about: "Used during the run, never saved" },
    {
      name: "prefill-messages-file",
      kind: "text",
      value: "<file>",
      about: "Messages before every conversation, never saved",
      completes: "file",
    },
    { name: "max-tokens", kind: "text", value: "<n>", about: "Longest reply" },
    {
      name: "reasoning-effort",
      kind: "text",
      value: "<level>",
      about: "How long the model thinks",
      choices: ["none", "minimal", "low", "medium", "high", "xhigh"],
    },
    { name: "reasoning-disabled", kind: "switch", about: "The model does not think" },
    { name: "providers-allowed", kind: "list", value: "<a,b>", about: "Upstream providers that may be used" },
    { name: "providers-ignored", kind: "list", value: "<a,b>", about: "Upstream providers that may not" },
    { name: "providers-order", kind: "list", value: "<a,b>", about: "Upstream providers to try first" },
    {
      name: "provider-sort",
      kind: "text",
      value: "<how>",
      about: "Order of upstream providers",
      choices: ["price", "throughput", "latency"],
    },
    { name: "rng", kind: "text", value: "<n>", about: "The same number draws the same toolsets again" },
    {
      name: "options",
      kind: "text",
      value: "<file>",
      about: "A YAML file with any of these, names with underscores",
      completes: "file",
    },
    { name: "log-prefix-chars", kind: "text", value: "<n>", about: "Length of previews in logs (100)", isHidden: true },
    { name: "verbose", short: "v", kind: "switch", about: "One line per prompt" },
  ],
  run: async (invocation) => (await import("../../commands/batch/batch.ts")).batch(invocation),
};

export const sweRunCommand: Command = {
  name: "swe-run",
  about: "Work on programming tasks with the terminal alone, and keep the trajectories",
  examples: [
    'hermes swe-run --task "Write /tmp/fib.py that prints ten Fibonacci numbers, and run it"',
    "hermes swe-run --prompts-file tasks.jsonl --env docker --image python:3.11-slim",
  ],
  flags: [
    { name: "task", kind: "text", value: "<text>", about: "The one task" },
    {
      name: "prompts-file",
      kind: "text",
      value: "<file>",
      about: "Tasks, one per line: JSON with prompt or task, or plain text",
      completes: "file",
    },
    {
      name: "output-file",
      kind: "text",
      value: "<file>",
      about: "Where trajectories are added (swe-runner-test1.jsonl)",
      completes: "file",
    },
    ...modelFlags,
    {
      name: "env",
      kind: "text",
      value: "<kind>",
      about: "Where commands run (local)",
      choices: ["local", "docker", "modal", "ssh"],
    },
    { name: "image", kind: "text", value: "<name>", about: "Container image (python:3.11-slim)" },
    { name: "cwd", kind: "text", value: "<folder>", about: "Where commands begin (/tmp; locally a new folder)" },
    { name: "max-iterations", kind: "text", value: "<n>", about: "Most steps per task (15)" },
    { name: "timeout", kind: "text", value: "<s>", about: "Seconds one command may take (60)" },
  ],
  run: async (invocation) => (await import("../../commands/batch/swe-run.ts")).sweRun(invocation),
};

import type { Command, Flag } from "../../command.ts";

const fieldsFlag: Flag = {
  name: "fields",
  kind: "text",
  value: "<file>",
  about: "A YAML file with env: and openai:",
  completes: "file",
};

const allowLocalFlag: Flag = {
  name: "allow-local-exec",
  kind: "switch",
  about: "Commands of the model may run on this machine, without a container",
};

export const envCommand: Command = {
  name: "env",
  about: "Run an environment: measure a model, make training data, feed a trainer",
  examples: [
    "hermes env list",
    "hermes env doctor terminal-bench-2",
    "hermes env terminal-test evaluate --openai.model_name some/model",
    "hermes env terminal-test process --env.total_steps 5",
    "hermes env terminal-test process --replay.mode record --replay.file run.jsonl --replay.tools true",
    "hermes env ./my-env.mjs serve --env.rollout_server_url http://localhost:8000",
  ],
  args: [{ name: "environment" }, { name: "what", choices: ["evaluate", "process", "serve"] }],
  hasDottedFlags: true,
  flags: [
    fieldsFlag,
    {
      name: "protocol",
      kind: "text",
      value: "<name>",
      about: "Of serve: how a trainer is fed (atropos)",
      choices: ["atropos", "nemo-gym"],
    },
    { name: "port", kind: "text", value: "<n>", about: "Of nemo-gym: where it listens (9000)" },
    { name: "host", kind: "text", value: "<address>", about: "Of nemo-gym (127.0.0.1); it has no password" },
    {
      name: "resources-server",
      kind: "text",
      value: "<url>",
      about: "Of nemo-gym: who scores rows in place of the environment",
    },
    {
      name: "resume",
      kind: "text",
      value: "<file>",
      about: "Of evaluate: leave out what stands in this file of samples",
      completes: "file",
    },
    {
      name: "run-name",
      kind: "text",
      value: "<name>",
      about: "Machines that use the same name share the work, through store.url",
    },
    allowLocalFlag,
    {
      name: "ui",
      kind: "text",
      value: "<how>",
      about:
        "How the run is followed: figures at the bottom of a terminal, lines, a page on this machine, events as JSON lines",
      choices: ["screen", "lines", "web", "json"],
    },
    { name: "ui-port", kind: "text", value: "<n>", about: "Of --ui web: where the page is (any free port)" },
    { name: "rng", kind: "text", value: "<n>", about: "Draw the same toolsets every time" },
    { name: "print-config", kind: "switch", about: "Show the resulting fields and exit" },
  ],
  run: async (invocation) => (await import("../../commands/env/run.ts")).envRun(invocation),
  commands: [
    {
      name: "list",
      about: "Show the environments",
      run: async (invocation) => (await import("../../commands/env/list.ts")).envList(invocation),
    },
    {
      name: "describe",
      about: "Show what can be set about an environment",
      args: [{ name: "environment" }],
      run: async (invocation) => (await import("../../commands/env/describe.ts")).envDescribe(invocation),
    },
    {
      name: "doctor",
      about: "Check what an environment needs: terminal, disk, dataset, images, tokenizer, model server",
      args: [{ name: "environment" }],
      hasDottedFlags: true,
      flags: [fieldsFlag, allowLocalFlag],
      run: async (invocation) => (await import("../../commands/env/doctor.ts")).envDoctor(invocation),
    },
    {
      name: "report",
      about: "Rebuild the page of an evaluation, or compare several with the first",
      examples: ["hermes env report evals/terminal-bench-2/20261118_090000 evals/terminal-bench-2/20261118_101500"],
      args: [{ name: "folder", isRest: true, completes: "file" }],
      run: async (invocation) => (await import("../../commands/env/report.ts")).envReport(invocation),
    },
    {
      name: "cancel",
      about: "Stop a run that several machines share, on all of them",
      args: [{ name: "run-name" }],
      run: async (invocation) => (await import("../../commands/env/cancel.ts")).envCancel(invocation),
    },
    {
      name: "gc",
      about: "Remove the containers and folders that killed runs left behind",
      run: async (invocation) => (await import("../../commands/env/gc.ts")).envGc(invocation),
    },
  ],
};

export const rlApiCommand: Command = {
  name: "rl-api",
  about: "Open a trajectory API server: where environments and a trainer meet",
  flags: [
    { name: "host", kind: "text", value: "<address>", about: "Where it listens (127.0.0.1); it has no password" },
    { name: "port", kind: "text", value: "<n>", about: "(8000)" },
  ],
  run: async (invocation) => (await import("../../commands/env/rl-api.ts")).rlApi(invocation),
};

/** Started by `rl_start_training`; it stays when the conversation ends. */
export const rlRunCommand: Command = {
  name: "rl-run",
  about: "Watch over a training run that was prepared",
  isHidden: true,
  args: [{ name: "run" }],
  run: async (invocation) => (await import("../../commands/env/rl-run.ts")).rlRun(invocation),
};

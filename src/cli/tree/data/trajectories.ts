import type { Argument, Command } from "../../command.ts";

const file: Argument = { name: "file", completes: "file" };

export const trajectoriesCommand: Command = {
  name: "trajectories",
  about: "Inspect trajectory files and convert them to chat messages",
  examples: [
    "hermes trajectories stats data/first/trajectories.jsonl",
    "hermes trajectories convert trajectory_samples.jsonl --to openai-messages --output messages.jsonl",
  ],
  commands: [
    {
      name: "validate",
      about: "Check the entries of a file; exit 1 if something is wrong",
      args: [file],
      run: async (invocation) =>
        (await import("../../commands/trajectories/trajectories.ts")).validateTrajectories(invocation),
    },
    {
      name: "stats",
      about: "Count entries, turns, tool calls and models",
      args: [file],
      run: async (invocation) =>
        (await import("../../commands/trajectories/trajectories.ts")).countTrajectories(invocation),
    },
    {
      name: "convert",
      about: "Convert the conversations to another format",
      args: [file],
      flags: [
        {
          name: "to",
          kind: "text",
          value: "<form>",
          about: "openai-messages: chat messages with reasoning and tool calls",
          choices: ["openai-messages"],
        },
        { name: "output", kind: "text", value: "<file>", about: "Output file (standard output)", completes: "file" },
        { name: "skip-invalid", kind: "switch", about: "Skip lines that are not JSON objects" },
      ],
      run: async (invocation) =>
        (await import("../../commands/trajectories/trajectories.ts")).convertTrajectories(invocation),
    },
  ],
};

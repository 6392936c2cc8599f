import type { Argument, Command } from "../../command.ts";

const file: Argument = { name: "file", completes: "file" };

export const trajectoriesCommand: Command = {
  name: "trajectories",
  about: "Look at files of trajectories, and turn them into chat messages",
  examples: [
    "hermes trajectories stats data/first/trajectories.jsonl",
    "hermes trajectories convert trajectory_samples.jsonl --to openai-messages --output messages.jsonl",
  ],
  commands: [
    {
      name: "validate",
      about: "Say what is wrong with the entries of a file; exit 1 when something is",
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
      about: "Write the conversations in another form",
      args: [file],
      flags: [
        {
          name: "to",
          kind: "text",
          value: "<form>",
          about: "openai-messages: chat messages with reasoning and tool calls",
          choices: ["openai-messages"],
        },
        { name: "output", kind: "text", value: "<file>", about: "Where to (standard output)", completes: "file" },
        { name: "skip-invalid", kind: "switch", about: "Pass over lines that are no JSON objects" },
      ],
      run: async (invocation) =>
        (await import("../../commands/trajectories/trajectories.ts")).convertTrajectories(invocation),
    },
  ],
};

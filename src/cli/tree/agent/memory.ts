import type { Argument, Command } from "../../command.ts";
import { yesFlag } from "../common.ts";

const pending: Argument = { name: "id" };

export const memoryCommand: Command = {
  name: "memory",
  about: "Show what Hermes remembers, and choose a memory provider",
  run: async (invocation) => (await import("../../commands/memory/status.ts")).memoryStatus(invocation),
  commands: [
    {
      name: "status",
      about: "Show the notes and the memory provider",
      run: async (invocation) => (await import("../../commands/memory/status.ts")).memoryStatus(invocation),
    },
    {
      name: "setup",
      about: "Choose a memory provider and answer its questions",
      args: [{ name: "provider", isOptional: true }],
      flags: [{ name: "set", kind: "list", value: "<key=value>", about: "Answer a question without being asked" }],
      run: async (invocation) => (await import("../../commands/memory/setup.ts")).memorySetup(invocation),
    },
    {
      name: "off",
      about: "Use only the built-in notes",
      run: async (invocation) => (await import("../../commands/memory/off.ts")).memoryOff(invocation),
    },
    {
      name: "reset",
      about: "Forget the built-in notes; a copy is kept",
      flags: [
        {
          name: "target",
          kind: "text",
          value: "<which>",
          choices: ["all", "memory", "user"],
          about: "Which notes (all)",
        },
        yesFlag,
      ],
      run: async (invocation) => (await import("../../commands/memory/reset.ts")).memoryReset(invocation),
    },
    {
      name: "pending",
      about: "Show what awaits your decision because outside text may have suggested it",
      run: async (invocation) => (await import("../../commands/memory/pending.ts")).memoryPending(invocation),
    },
    {
      name: "confirm",
      about: "Remember the entry with this id",
      args: [pending],
      run: async (invocation) => (await import("../../commands/memory/pending.ts")).memoryConfirm(invocation),
    },
    {
      name: "reject",
      about: "Drop the entry with this id",
      args: [pending],
      run: async (invocation) => (await import("../../commands/memory/pending.ts")).memoryReject(invocation),
    },
  ],
};

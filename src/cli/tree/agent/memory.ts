import type { Argument, Command } from "../../command.ts";
import { yesFlag } from "../common.ts";

const pending: Argument = { name: "id" };

export const memoryCommand: Command = {
  name: "memory",
  about: "See and choose what Hermes remembers with",
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
      about: "Use the built-in notes alone",
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
      about: "Show what waits for your word, because strangers may have suggested it",
      run: async (invocation) => (await import("../../commands/memory/pending.ts")).memoryPending(invocation),
    },
    {
      name: "confirm",
      about: "Remember what waits under this id",
      args: [pending],
      run: async (invocation) => (await import("../../commands/memory/pending.ts")).memoryConfirm(invocation),
    },
    {
      name: "reject",
      about: "Drop what waits under this id",
      args: [pending],
      run: async (invocation) => (await import("../../commands/memory/pending.ts")).memoryReject(invocation),
    },
  ],
};

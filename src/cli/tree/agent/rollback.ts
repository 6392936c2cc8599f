import type { Argument, Command } from "../../command.ts";

const checkpoint: Argument = { name: "id" };

export const rollbackCommand: Command = {
  name: "rollback",
  about: "Restore this folder's files to how they were before a change",
  examples: ["hermes rollback                  show the checkpoints", "hermes rollback restore 3f2a9c src/a.ts"],
  run: async (invocation) => (await import("../../commands/rollback.ts")).rollbackList(invocation),
  commands: [
    {
      name: "list",
      about: "Show this folder's checkpoints, newest first",
      run: async (invocation) => (await import("../../commands/rollback.ts")).rollbackList(invocation),
    },
    {
      name: "show",
      about: "Show what changed since a checkpoint",
      args: [checkpoint],
      run: async (invocation) => (await import("../../commands/rollback.ts")).rollbackShow(invocation),
    },
    {
      name: "restore",
      about: "Go back to a checkpoint, with all files or one; the current state is saved first",
      args: [checkpoint, { name: "file", isOptional: true, completes: "file" }],
      run: async (invocation) => (await import("../../commands/rollback.ts")).rollbackRestore(invocation),
    },
  ],
};

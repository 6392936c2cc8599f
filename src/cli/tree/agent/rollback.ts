import type { Argument, Command } from "../../command.ts";

const checkpoint: Argument = { name: "id" };

export const rollbackCommand: Command = {
  name: "rollback",
  about: "Bring the files of this folder back as they were before a change",
  examples: ["hermes rollback                  what there is to go back to", "hermes rollback restore 3f2a9c src/a.ts"],
  run: async (invocation) => (await import("../../commands/rollback.ts")).rollbackList(invocation),
  commands: [
    {
      name: "list",
      about: "Show the checkpoints of this folder, newest first",
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
      about: "Go back to a checkpoint, with all files or one; a checkpoint of now is taken first",
      args: [checkpoint, { name: "file", isOptional: true, completes: "file" }],
      run: async (invocation) => (await import("../../commands/rollback.ts")).rollbackRestore(invocation),
    },
  ],
};

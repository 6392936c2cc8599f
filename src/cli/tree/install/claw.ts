import type { Command, Flag } from "../../command.ts";
import { yesFlag } from "../common.ts";

const sourceFolder: Flag = {
  name: "source",
  kind: "text",
  value: "<folder>",
  about: "The folder of OpenClaw (~/.openclaw)",
  completes: "file",
};

export const clawCommand: Command = {
  name: "claw",
  about: "Migrate from OpenClaw",
  examples: ["hermes claw migrate --dry-run", "hermes claw migrate --migrate-secrets"],
  commands: [
    {
      name: "migrate",
      about: "Import character, notes, skills and settings; nothing there is changed",
      flags: [
        sourceFolder,
        { name: "dry-run", kind: "switch", about: "Only show what would happen" },
        {
          name: "preset",
          kind: "text",
          value: "<what>",
          choices: ["user-data", "full"],
          about: "Character, notes and skills, or the settings too (full)",
        },
        { name: "overwrite", kind: "switch", about: "Replace what is different here; a copy is kept" },
        { name: "migrate-secrets", kind: "switch", about: "Import known keys and tokens into .env" },
        {
          name: "workspace-target",
          kind: "text",
          value: "<folder>",
          about: "Where AGENTS.md of the workspace goes",
          completes: "file",
        },
        {
          name: "skill-conflict",
          kind: "text",
          value: "<what>",
          choices: ["skip", "overwrite", "rename"],
          about: "If a skill of that name exists (skip)",
        },
        yesFlag,
      ],
      run: async (invocation) => (await import("../../commands/claw/migrate.ts")).clawMigrate(invocation),
    },
    {
      name: "cleanup",
      about: "Rename the OpenClaw folder; nothing is deleted",
      flags: [sourceFolder, { name: "dry-run", kind: "switch", about: "Only show what would happen" }, yesFlag],
      run: async (invocation) => (await import("../../commands/claw/cleanup.ts")).clawCleanup(invocation),
    },
  ],
};

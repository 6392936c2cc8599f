import type { Command } from "../../command.ts";
import { yesFlag } from "../common.ts";

export const backupCommand: Command = {
  name: "backup",
  about: "Back up the home to one archive",
  flags: [
    { name: "output", short: "o", kind: "text", value: "<file>", about: "Output file", completes: "file" },
    { name: "quick", short: "q", kind: "switch", about: "Only settings, credentials, notes and sessions" },
    { name: "label", short: "l", kind: "text", value: "<text>", about: "Part of the file name" },
  ],
  run: async (invocation) => (await import("../../commands/backup/backup.ts")).backup(invocation),
};

export const importCommand: Command = {
  name: "import",
  about: "Restore a backup",
  args: [{ name: "archive", completes: "file" }],
  flags: [{ name: "force", short: "f", kind: "switch", about: "Replace existing files without asking" }],
  run: async (invocation) => (await import("../../commands/backup/restore.ts")).restore(invocation),
};

export const updateCommand: Command = {
  name: "update",
  about: "Update Hermes",
  flags: [{ name: "check", kind: "switch", about: "Only check for a newer version (exit 10 if there is one)" }],
  run: async (invocation) => (await import("../../commands/install/update.ts")).update(invocation),
};

export const uninstallCommand: Command = {
  name: "uninstall",
  about: "Remove Hermes from this machine; your data stays unless --full",
  flags: [{ name: "full", kind: "switch", about: "Also remove the home with everything in it" }, yesFlag],
  run: async (invocation) => (await import("../../commands/install/uninstall.ts")).uninstall(invocation),
};

import type { Command } from "../../command.ts";
import { yesFlag } from "../common.ts";

export const backupCommand: Command = {
  name: "backup",
  about: "Copy the home into one archive",
  flags: [
    { name: "output", short: "o", kind: "text", value: "<file>", about: "Where to", completes: "file" },
    { name: "quick", short: "q", kind: "switch", about: "Only settings, credentials, notes and sessions" },
    { name: "label", short: "l", kind: "text", value: "<text>", about: "Part of the file name" },
  ],
  run: async (invocation) => (await import("../../commands/backup/backup.ts")).backup(invocation),
};

export const importCommand: Command = {
  name: "import",
  about: "Put a backup back",
  args: [{ name: "archive", completes: "file" }],
  flags: [{ name: "force", short: "f", kind: "switch", about: "Replace files that are there, without asking" }],
  run: async (invocation) => (await import("../../commands/backup/restore.ts")).restore(invocation),
};

export const updateCommand: Command = {
  name: "update",
  about: "Bring Hermes up to date",
  flags: [{ name: "check", kind: "switch", about: "Only say whether there is a newer version (exit 10 if so)" }],
  run: async (invocation) => (await import("../../commands/install/update.ts")).update(invocation),
};

export const uninstallCommand: Command = {
  name: "uninstall",
  about: "Remove Hermes from this machine; your data stays unless --full",
  flags: [{ name: "full", kind: "switch", about: "Also remove the home with everything in it" }, yesFlag],
  run: async (invocation) => (await import("../../commands/install/uninstall.ts")).uninstall(invocation),
};

import type { Argument, Command } from "../../command.ts";
import { yesFlag } from "../common.ts";

const plugin: Argument = { name: "name", completes: "plugin" };

export const pluginsCommand: Command = {
  name: "plugins",
  about: "Install extensions and turn them on or off",
  run: async (invocation) => (await import("../../commands/plugins/list.ts")).pluginsList(invocation),
  commands: [
    {
      name: "list",
      about: "Show every plugin and its state",
      run: async (invocation) => (await import("../../commands/plugins/list.ts")).pluginsList(invocation),
    },
    {
      name: "install",
      about: "Install from a folder, a git URL or a package",
      args: [{ name: "id", completes: "file" }],
      flags: [
        { name: "force", short: "f", kind: "switch", about: "Replace an existing one" },
        { name: "enable", kind: "switch", about: "Enable it at once" },
        { name: "no-enable", kind: "switch", about: "Leave it off" },
      ],
      run: async (invocation) => (await import("../../commands/plugins/install.ts")).pluginsInstall(invocation),
    },
    {
      name: "update",
      about: "Fetch a plugin again from its source",
      args: [plugin],
      flags: [yesFlag],
      run: async (invocation) => (await import("../../commands/plugins/install.ts")).pluginsUpdate(invocation),
    },
    {
      name: "remove",
      about: "Remove a plugin",
      args: [plugin],
      flags: [yesFlag],
      run: async (invocation) => (await import("../../commands/plugins/install.ts")).pluginsRemove(invocation),
    },
    {
      name: "enable",
      about: "Let a plugin run",
      args: [plugin],
      run: async (invocation) => (await import("../../commands/plugins/switch.ts")).pluginsEnable(invocation),
    },
    {
      name: "disable",
      about: "Keep a plugin from running",
      args: [plugin],
      run: async (invocation) => (await import("../../commands/plugins/switch.ts")).pluginsDisable(invocation),
    },
    {
      name: "memory",
      about: "Show or choose the memory provider; none uses only the built-in notes",
      args: [{ name: "name", isOptional: true, completes: "plugin" }],
      run: async (invocation) => (await import("../../commands/plugins/single.ts")).pluginsMemory(invocation),
    },
    {
      name: "context-engine",
      about: "Show or choose what keeps long conversations inside the window",
      args: [{ name: "name", isOptional: true, completes: "plugin" }],
      run: async (invocation) => (await import("../../commands/plugins/single.ts")).pluginsContextEngine(invocation),
    },
  ],
};

import type { Argument, Command } from "../../command.ts";
import { yesFlag } from "../common.ts";

const name: Argument = { name: "name", completes: "profile" };

export const profileCommand: Command = {
  name: "profile",
  about: "Manage profiles: separate settings, credentials, sessions and memory",
  run: async (invocation) => (await import("../../commands/profile/list.ts")).profileList(invocation),
  examples: ["hermes profile create work --clone", "hermes -p work chat", "hermes profile use work"],
  commands: [
    {
      name: "list",
      about: "Show all profiles",
      run: async (invocation) => (await import("../../commands/profile/list.ts")).profileList(invocation),
    },
    {
      name: "show",
      about: "Show one profile",
      args: [{ ...name, isOptional: true }],
      run: async (invocation) => (await import("../../commands/profile/list.ts")).profileShow(invocation),
    },
    {
      name: "use",
      about: "Use this profile from now on",
      args: [name],
      run: async (invocation) => (await import("../../commands/profile/change.ts")).profileUse(invocation),
    },
    {
      name: "create",
      about: "Make a profile",
      args: [{ name: "name" }],
      flags: [
        {
          name: "clone",
          kind: "switch",
          about: "Copy settings, credentials, SOUL.md and notes from the current profile",
        },
        { name: "clone-all", kind: "switch", about: "Copy everything but running state" },
        { name: "clone-from", kind: "text", value: "<name>", about: "Copy from this profile", completes: "profile" },
        { name: "no-alias", kind: "switch", about: "Do not create a command of that name in ~/.local/bin" },
      ],
      run: async (invocation) => (await import("../../commands/profile/change.ts")).profileCreate(invocation),
    },
    {
      name: "rename",
      about: "Rename a profile",
      args: [name, { name: "new-name" }],
      run: async (invocation) => (await import("../../commands/profile/change.ts")).profileRename(invocation),
    },
    {
      name: "delete",
      about: "Delete a profile with everything in it",
      args: [name],
      flags: [yesFlag],
      run: async (invocation) => (await import("../../commands/profile/change.ts")).profileDelete(invocation),
    },
    {
      name: "alias",
      about: "Create or remove the command that starts a profile",
      args: [name],
      flags: [
        { name: "name", kind: "text", value: "<alias>", about: "Another name for the command" },
        { name: "remove", kind: "switch", about: "Remove it" },
      ],
      run: async (invocation) => (await import("../../commands/profile/alias.ts")).profileAlias(invocation),
    },
    {
      name: "export",
      about: "Export a profile to an archive, without credentials and databases",
      args: [name],
      flags: [
        {
          name: "output",
          short: "o",
          kind: "text",
          value: "<file>",
          about: "Output file (<name>.tar.gz)",
          completes: "file",
        },
      ],
      run: async (invocation) => (await import("../../commands/profile/archive.ts")).profileExport(invocation),
    },
    {
      name: "import",
      about: "Create a profile from an archive",
      args: [{ name: "archive", completes: "file" }],
      flags: [{ name: "name", kind: "text", value: "<name>", about: "Name of the new profile" }],
      run: async (invocation) => (await import("../../commands/profile/archive.ts")).profileImport(invocation),
    },
  ],
};

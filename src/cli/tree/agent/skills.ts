import type { Argument, Command, Flag } from "../../command.ts";
import { limitFlag, yesFlag } from "../common.ts";

const skill: Argument = { name: "name", completes: "skill" };
const maybeSkill: Argument = { ...skill, isOptional: true };
const id: Argument = { name: "id" };
const hub: Flag = { name: "source", kind: "text", value: "<hub>", about: "Only this hub" };

export const skillsCommand: Command = {
  name: "skills",
  about: "Find, install and manage skills",
  run: async (invocation) => (await import("../../commands/skills/list.ts")).skillsList(invocation),
  flags: [
    { name: "source", kind: "text", value: "<kind>", choices: ["all", "hub", "builtin", "local"], about: "Only these" },
    { name: "enabled-only", kind: "switch", about: "Leave out disabled skills" },
  ],
  commands: [
    {
      name: "list",
      about: "Show the skills on this machine",
      flags: [
        {
          name: "source",
          kind: "text",
          value: "<kind>",
          choices: ["all", "hub", "builtin", "local"],
          about: "Only these",
        },
        { name: "enabled-only", kind: "switch", about: "Leave out disabled skills" },
      ],
      run: async (invocation) => (await import("../../commands/skills/list.ts")).skillsList(invocation),
    },
    {
      name: "browse",
      about: "Browse the hubs",
      flags: [
        { name: "page", kind: "text", value: "<n>", about: "Which page (1)" },
        { name: "size", kind: "text", value: "<n>", about: "Skills per page (20)" },
        hub,
      ],
      run: async (invocation) => (await import("../../commands/skills/find.ts")).skillsBrowse(invocation),
    },
    {
      name: "search",
      about: "Search the hubs",
      args: [{ name: "words", isRest: true }],
      flags: [hub, limitFlag(20)],
      run: async (invocation) => (await import("../../commands/skills/find.ts")).skillsSearch(invocation),
    },
    {
      name: "inspect",
      about: "Show a hub skill and what the guard says, without installing it",
      args: [id],
      run: async (invocation) => (await import("../../commands/skills/inspect.ts")).skillsInspect(invocation),
    },
    {
      name: "install",
      about: "Install a skill from a hub",
      args: [id],
      flags: [
        { name: "category", kind: "text", value: "<name>", about: "Folder to put it in" },
        { name: "force", kind: "switch", about: "Even if the guard has doubts, and over your own changes" },
        yesFlag,
      ],
      run: async (invocation) => (await import("../../commands/skills/install.ts")).skillsInstall(invocation),
    },
    {
      name: "check",
      about: "Check installed skills for updates",
      args: [maybeSkill],
      run: async (invocation) => (await import("../../commands/skills/maintain.ts")).skillsCheck(invocation),
    },
    {
      name: "update",
      about: "Update installed skills",
      args: [maybeSkill],
      flags: [{ name: "force", kind: "switch", about: "Even over your own changes" }],
      run: async (invocation) => (await import("../../commands/skills/maintain.ts")).skillsUpdate(invocation),
    },
    {
      name: "audit",
      about: "Scan installed skills again",
      args: [maybeSkill],
      run: async (invocation) => (await import("../../commands/skills/maintain.ts")).skillsAudit(invocation),
    },
    {
      name: "uninstall",
      about: "Remove a skill that came from a hub; it waits in the trash for 30 days",
      args: [skill],
      run: async (invocation) => (await import("../../commands/skills/install.ts")).skillsUninstall(invocation),
    },
    {
      name: "restore",
      about: "Bring a deleted skill back from the trash; without a name show what is there",
      args: [{ name: "name", isOptional: true }],
      run: async (invocation) => (await import("../../commands/skills/restore.ts")).skillsRestore(invocation),
    },
    {
      name: "reset",
      about: "Follow a bundled skill again after you changed or deleted it",
      args: [skill],
      flags: [{ name: "restore", kind: "switch", about: "Replace your text with the bundled one" }, yesFlag],
      run: async (invocation) => (await import("../../commands/skills/reset.ts")).skillsReset(invocation),
    },
    {
      name: "publish",
      about: "Propose one of your skills to a repository",
      args: [{ name: "folder", completes: "file" }],
      flags: [
        { name: "to", kind: "text", value: "<place>", choices: ["github", "clawhub"], about: "Where to (github)" },
        { name: "repo", kind: "text", value: "<owner/name>", about: "The repository" },
        yesFlag,
      ],
      run: async (invocation) => (await import("../../commands/skills/publish.ts")).skillsPublish(invocation),
    },
    {
      name: "snapshot",
      about: "Save the list of hub skills, or install a saved list",
      commands: [
        {
          name: "export",
          about: "Write them to a file",
          args: [{ name: "file", completes: "file" }],
          run: async (invocation) => (await import("../../commands/skills/snapshot.ts")).snapshotExport(invocation),
        },
        {
          name: "import",
          about: "Install the skills a file lists",
          args: [{ name: "file", completes: "file" }],
          run: async (invocation) => (await import("../../commands/skills/snapshot.ts")).snapshotImport(invocation),
        },
      ],
    },
    {
      name: "tap",
      about: "Repositories to search for skills",
      run: async (invocation) => (await import("../../commands/skills/tap.ts")).tapList(invocation),
      commands: [
        {
          name: "list",
          about: "Show them",
          run: async (invocation) => (await import("../../commands/skills/tap.ts")).tapList(invocation),
        },
        {
          name: "add",
          about: "Add one",
          args: [{ name: "owner/name" }],
          run: async (invocation) => (await import("../../commands/skills/tap.ts")).tapAdd(invocation),
        },
        {
          name: "remove",
          about: "Remove one",
          args: [{ name: "owner/name" }],
          run: async (invocation) => (await import("../../commands/skills/tap.ts")).tapRemove(invocation),
        },
      ],
    },
    {
      name: "config",
      about: "Turn skills on and off",
      interactiveOnly: 'Change the list without a terminal: hermes config set skills.disabled "[a, b]"',
      run: async (invocation) => (await import("../../commands/skills/switch.ts")).skillsConfig(invocation),
    },
  ],
};

import type { Argument, Command } from "../../command.ts";
import { limitFlag, sourceFlag, yesFlag } from "../common.ts";

const session: Argument = { name: "id", completes: "session" };

export const sessionsCommand: Command = {
  name: "sessions",
  about: "Browse, export and clean up stored conversations",
  examples: [
    "hermes sessions list --limit 5",
    "hermes sessions export - --session-id 20261116_0210",
    "hermes sessions prune --older-than 30 -y",
  ],
  flags: [sourceFlag, limitFlag(20)],
  run: async (invocation) => (await import("../../commands/sessions/list.ts")).sessionsList(invocation),
  commands: [
    {
      name: "list",
      about: "Show recent sessions",
      flags: [sourceFlag, limitFlag(20)],
      run: async (invocation) => (await import("../../commands/sessions/list.ts")).sessionsList(invocation),
    },
    {
      name: "browse",
      about: "Choose a session and continue it",
      flags: [sourceFlag, limitFlag(50), { name: "one-shots", kind: "switch", about: "List one-shot runs too" }],
      interactiveOnly: "List them with: hermes sessions list, then continue one with: hermes chat --resume <id>",
      run: async (invocation) => (await import("../../commands/sessions/browse.ts")).sessionsBrowse(invocation),
    },
    {
      name: "show",
      about: "Show one session with its messages",
      args: [session],
      flags: [{ name: "messages", short: "n", kind: "text", value: "<n>", about: "Only the last messages, this many" }],
      run: async (invocation) => (await import("../../commands/sessions/show.ts")).sessionsShow(invocation),
    },
    {
      name: "search",
      about: "Search messages",
      args: [{ name: "query", isRest: true }],
      flags: [sourceFlag, limitFlag(20)],
      run: async (invocation) => (await import("../../commands/sessions/search.ts")).sessionsSearch(invocation),
    },
    {
      name: "export",
      about: "Export sessions as JSON lines; - writes to standard output",
      args: [{ name: "file", completes: "file" }],
      flags: [
        sourceFlag,
        { name: "session-id", kind: "text", value: "<id>", about: "Only this session", completes: "session" },
        { name: "raw", kind: "switch", about: "Do not mask what looks like a credential" },
      ],
      run: async (invocation) => (await import("../../commands/sessions/export.ts")).sessionsExport(invocation),
    },
    {
      name: "import",
      about: "Import sessions from JSON lines; - reads standard input",
      args: [{ name: "file", completes: "file" }],
      run: async (invocation) => (await import("../../commands/sessions/import.ts")).sessionsImport(invocation),
    },
    {
      name: "rename",
      about: "Give a session a title",
      args: [session, { name: "title", isRest: true }],
      run: async (invocation) => (await import("../../commands/sessions/rename.ts")).sessionsRename(invocation),
    },
    {
      name: "delete",
      about: "Delete a session with its messages",
      args: [session],
      flags: [yesFlag],
      run: async (invocation) => (await import("../../commands/sessions/delete.ts")).sessionsDelete(invocation),
    },
    {
      name: "prune",
      about: "Delete old sessions, each with its children and parts or not at all",
      flags: [
        { name: "older-than", kind: "text", value: "<days>", about: "Days since they started (90)" },
        sourceFlag,
        { name: "include-titled", kind: "switch", about: "Include sessions with a title" },
        yesFlag,
      ],
      run: async (invocation) => (await import("../../commands/sessions/prune.ts")).sessionsPrune(invocation),
    },
    {
      name: "stats",
      about: "Count sessions and messages",
      run: async (invocation) => (await import("../../commands/sessions/stats.ts")).sessionsStats(invocation),
    },
    {
      name: "fsck",
      about: "Check the database and verify that no message is lost",
      flags: [
        {
          name: "repair",
          kind: "switch",
          about: "Repair the indexes, or rebuild a damaged file with every readable row",
        },
      ],
      run: async (invocation) => (await import("../../commands/sessions/fsck.ts")).sessionsFsck(invocation),
    },
  ],
};

export const insightsCommand: Command = {
  name: "insights",
  about: "See how Hermes was used: sessions, tokens, money, tools, hours",
  flags: [
    { name: "days", kind: "text", value: "<n>", about: "How far back (30)" },
    sourceFlag,
    { name: "csv", kind: "switch", about: "Print one row per model and surface" },
  ],
  run: async (invocation) => (await import("../../commands/insights/insights.ts")).insights(invocation),
};

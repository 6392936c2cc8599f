import type { Command } from "../../command.ts";

export const statusCommand: Command = {
  name: "status",
  about: "Show what is set up",
  flags: [
    { name: "all", kind: "switch", about: "Everything, in a form that can be shared" },
    { name: "deep", kind: "switch", about: "Also ask the network" },
  ],
  run: async (invocation) => (await import("../../commands/status.ts")).status(invocation),
};

export const doctorCommand: Command = {
  name: "doctor",
  about: "Find what is wrong, and mend it",
  flags: [
    { name: "fix", kind: "switch", about: "Fix what can be fixed" },
    { name: "security", kind: "switch", about: "Only what concerns security, with the wall tried for real" },
    { name: "offline", kind: "switch", about: "Do not ask the network" },
  ],
  run: async (invocation) => (await import("../../commands/doctor/doctor.ts")).doctor(invocation),
};

export const dumpCommand: Command = {
  name: "dump",
  about: "Print a summary for a bug report, without secrets",
  flags: [{ name: "show-keys", kind: "switch", about: "Show the first characters of keys" }],
  run: async (invocation) => (await import("../../commands/dump.ts")).dump(invocation),
};

export const debugCommand: Command = {
  name: "debug",
  about: "Gather what helps others to help you",
  commands: [
    {
      name: "share",
      about: "Put the dump and the last log lines together, redacted",
      flags: [
        { name: "lines", kind: "text", value: "<n>", about: "Log lines of each file (200)" },
        { name: "local", kind: "switch", about: "Print it instead of uploading" },
      ],
      run: async (invocation) => (await import("../../commands/debug-share.ts")).debugShare(invocation),
    },
    {
      name: "delete",
      about: "Remove uploads",
      args: [{ name: "url", isRest: true }],
      run: async (invocation) => (await import("../../commands/debug-share.ts")).debugDelete(invocation),
    },
  ],
};

export const logsCommand: Command = {
  name: "logs",
  about: "Show the log",
  args: [{ name: "log", isOptional: true, completes: "log" }],
  flags: [
    { name: "lines", short: "n", kind: "text", value: "<n>", about: "How many lines (50)" },
    { name: "follow", short: "f", kind: "switch", about: "Go on as lines come" },
    {
      name: "level",
      kind: "text",
      value: "<level>",
      choices: ["debug", "info", "warning", "error"],
      about: "At least this important",
    },
    { name: "session", kind: "text", value: "<id>", about: "Only of this session", completes: "session" },
    { name: "since", kind: "text", value: "<1h>", about: "Only the last hour, 30m, 2d, …" },
    {
      name: "component",
      kind: "text",
      value: "<name>",
      choices: ["gateway", "agent", "tools", "cli", "cron"],
      about: "Only of this part",
    },
  ],
  run: async (invocation) => (await import("../../commands/logs/logs.ts")).logs(invocation),
};

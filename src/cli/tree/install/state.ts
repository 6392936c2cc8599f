import type { Command } from "../../command.ts";

export const statusCommand: Command = {
  name: "status",
  about: "Show what is set up",
  flags: [
    { name: "all", kind: "switch", about: "Everything, in a form that is safe to share" },
    { name: "deep", kind: "switch", about: "Also check the network" },
  ],
  run: async (invocation) => (await import("../../commands/status.ts")).status(invocation),
};

export const doctorCommand: Command = {
  name: "doctor",
  about: "Find problems and fix them",
  flags: [
    { name: "fix", kind: "switch", about: "Fix what can be fixed" },
    { name: "security", kind: "switch", about: "Only security, with the sandbox tested for real" },
    { name: "offline", kind: "switch", about: "Do not use the network" },
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
  about: "Collect what others need to help you",
  commands: [
    {
      name: "share",
      about: "Combine the dump and the last log lines, redacted",
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
    { name: "follow", short: "f", kind: "switch", about: "Follow new lines as they arrive" },
    {
      name: "level",
      kind: "text",
      value: "<level>",
      choices: ["debug", "info", "warning", "error"],
      about: "Minimum level",
    },
    { name: "session", kind: "text", value: "<id>", about: "Only this session", completes: "session" },
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

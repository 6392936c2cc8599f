import type { Command } from "../../command.ts";

export const hooksCommand: Command = {
  name: "hooks",
  about: "Manage programs that run on events",
  examples: [
    "hermes hooks test pre_tool_call --for-tool write_file",
    "hermes hooks revoke ~/.hermes/agent-hooks/guard.sh",
  ],
  run: async (invocation) => (await import("../../commands/hooks/list.ts")).hooksList(invocation),
  commands: [
    {
      name: "list",
      about: "Show the configured hooks and whether they may run",
      run: async (invocation) => (await import("../../commands/hooks/list.ts")).hooksList(invocation),
    },
    {
      name: "test",
      about: "Run an event's hooks with sample data",
      args: [{ name: "event" }],
      flags: [
        { name: "for-tool", kind: "text", value: "<tool>", about: "The tool the sample is about (terminal)" },
        { name: "payload-file", kind: "text", value: "<file>", about: "JSON with fields to use instead" },
        { name: "accept-hooks", kind: "switch", about: "Run them without asking, this time" },
      ],
      run: async (invocation) => (await import("../../commands/hooks/test.ts")).hooksTest(invocation),
    },
    {
      name: "revoke",
      about: "Revoke a command's permission to run as a hook",
      args: [{ name: "command", isRest: true }],
      run: async (invocation) => (await import("../../commands/hooks/revoke.ts")).hooksRevoke(invocation),
    },
    {
      name: "doctor",
      about: "Find hooks that cannot work",
      run: async (invocation) => (await import("../../commands/hooks/doctor.ts")).hooksDoctor(invocation),
    },
  ],
};

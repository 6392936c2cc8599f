import type { Command } from "../../command.ts";

export const hooksCommand: Command = {
  name: "hooks",
  about: "Look after the programs that run at events",
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
      about: "Run the hooks of an event with a sample of it",
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
      about: "Take back that a command may run as a hook",
      args: [{ name: "command", isRest: true }],
      run: async (invocation) => (await import("../../commands/hooks/revoke.ts")).hooksRevoke(invocation),
    },
    {
      name: "doctor",
      about: "Find hooks that cannot do their work",
      run: async (invocation) => (await import("../../commands/hooks/doctor.ts")).hooksDoctor(invocation),
    },
  ],
};

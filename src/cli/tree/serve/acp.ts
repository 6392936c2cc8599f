import type { Command } from "../../command.ts";

export const acpCommand: Command = {
  name: "acp",
  about: "Serve an editor over the Agent Client Protocol on standard input and output",
  examples: ["hermes acp                              editors start it; docs/guide/editors.md shows how"],
  run: async (invocation) => (await import("../../commands/acp.ts")).acp(invocation),
};

import type { Command } from "../command.ts";

export const gatewayCommand: Command = {
  name: "gateway",
  about: "Talk to Hermes from chat platforms",
  examples: ["hermes gateway run               serve them in this terminal"],
  run: async (invocation) => (await import("../commands/gateway/run.ts")).gatewayRun(invocation),
  commands: [
    {
      name: "run",
      about: "Serve the chat platforms in the foreground",
      run: async (invocation) => (await import("../commands/gateway/run.ts")).gatewayRun(invocation),
    },
  ],
};

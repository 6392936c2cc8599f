import type { Command } from "../../command.ts";

export const setupCommand: Command = {
  name: "setup",
  about: "Connect a model and choose the basic settings",
  args: [{ name: "section", isOptional: true, choices: ["model", "tts", "terminal", "gateway", "tools", "agent"] }],
  flags: [
    { name: "non-interactive", kind: "switch", about: "Ask nothing" },
    {
      name: "provider",
      kind: "text",
      value: "<id>",
      about: "With --non-interactive: the provider",
      completes: "provider",
    },
    { name: "model", short: "m", kind: "text", value: "<name>", about: "With --non-interactive: the model" },
    {
      name: "api-key-env",
      kind: "text",
      value: "<NAME>",
      about: "With --non-interactive: the variable that holds the key now",
    },
    {
      name: "base-url",
      kind: "text",
      value: "<url>",
      about: "With --non-interactive: the address of a server of your own",
    },
    { name: "no-test", kind: "switch", about: "Do not test the model afterwards" },
    { name: "quick", kind: "switch", about: "Ask only for what is missing" },
    { name: "reconfigure", kind: "switch", about: "Ask every question again" },
    { name: "reset", kind: "switch", about: "Start over with the default settings; a copy of the old ones is kept" },
  ],
  examples: [
    "hermes setup",
    "OPENROUTER_API_KEY=… hermes setup --non-interactive --provider openrouter --model anthropic/claude-sonnet-4.6 --api-key-env OPENROUTER_API_KEY",
  ],
  run: async (invocation) => (await import("../../commands/setup/setup.ts")).setup(invocation),
};

import type { Argument, Command } from "../../command.ts";

const folder: Argument = { name: "folder", isOptional: true, completes: "file" };

export const trustCommand: Command = {
  name: "trust",
  about: "Choose the folders whose own files are used: .env, plugins, instructions",
  examples: ["hermes trust add                 this folder and everything below it", "hermes trust remove ~/src/old"],
  run: async (invocation) => (await import("../../commands/trust.ts")).trustList(invocation),
  commands: [
    {
      name: "list",
      about: "Show the trusted folders, and whether this is one",
      run: async (invocation) => (await import("../../commands/trust.ts")).trustList(invocation),
    },
    {
      name: "add",
      about: "Trust a folder (default: this one) and everything below it, with its plugins as they are now",
      args: [folder],
      flags: [{ name: "force", kind: "switch", about: "Even a folder that holds all of your files" }],
      run: async (invocation) => (await import("../../commands/trust.ts")).trustAdd(invocation),
    },
    {
      name: "remove",
      about: "Stop trusting a folder (default: this one)",
      args: [folder],
      run: async (invocation) => (await import("../../commands/trust.ts")).trustRemove(invocation),
    },
  ],
};

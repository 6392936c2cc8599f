import type { Argument, Command } from "../command.ts";

const platform: Argument = { name: "platform" };

export const pairingCommand: Command = {
  name: "pairing",
  about: "Say who may talk to Hermes in chats: approve the codes that strangers are given",
  examples: ["hermes pairing list", "hermes pairing approve telegram K7MPQ2XD"],
  run: async (invocation) => (await import("../commands/gateway/pairing.ts")).pairingList(invocation),
  commands: [
    {
      name: "list",
      about: "Show who is paired, and which codes wait",
      run: async (invocation) => (await import("../commands/gateway/pairing.ts")).pairingList(invocation),
    },
    {
      name: "approve",
      about: "Let in the person who was given this code",
      args: [platform, { name: "code" }],
      run: async (invocation) => (await import("../commands/gateway/pairing.ts")).pairingApprove(invocation),
    },
    {
      name: "revoke",
      about: "Let a paired person in no longer",
      args: [platform, { name: "user-id" }],
      run: async (invocation) => (await import("../commands/gateway/pairing.ts")).pairingRevoke(invocation),
    },
    {
      name: "clear-pending",
      about: "Throw away the codes that wait, of one platform or of all",
      args: [{ ...platform, isOptional: true }],
      run: async (invocation) => (await import("../commands/gateway/pairing.ts")).pairingClear(invocation),
    },
  ],
};

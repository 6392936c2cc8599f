import type { Argument, Command } from "../../command.ts";
import { yesFlag } from "../common.ts";
import { loginFlags } from "./model.ts";

const provider: Argument = { name: "provider", completes: "provider" };

export const authCommand: Command = {
  name: "auth",
  about: "Manage credentials and logins",
  examples: [
    "hermes auth add openrouter                  asks for the key, hidden",
    'printf %s "$KEY" | hermes auth add openrouter --api-key -',
    "hermes auth add nous --type oauth",
    "hermes auth explain",
  ],
  run: async (invocation) => (await import("../../commands/auth/list.ts")).authList(invocation),
  commands: [
    {
      name: "list",
      about: "Show the credentials of every provider, or of one",
      args: [{ ...provider, isOptional: true }],
      run: async (invocation) => (await import("../../commands/auth/list.ts")).authList(invocation),
    },
    {
      name: "add",
      about: "Add an API key, or log in",
      args: [provider],
      flags: [
        { name: "type", kind: "text", value: "<kind>", choices: ["api-key", "oauth"], about: "Key or login" },
        { name: "label", kind: "text", value: "<text>", about: "Name of the credential" },
        {
          name: "api-key",
          kind: "text",
          value: "<key|->",
          about: "The key; - reads it from standard input, out of sight of the shell's history",
        },
        { name: "import", kind: "switch", about: "Copy the login from the provider's own program on this machine" },
        ...loginFlags,
      ],
      run: async (invocation) => (await import("../../commands/auth/add.ts")).authAdd(invocation),
    },
    {
      name: "remove",
      about: "Remove a credential for good",
      args: [provider, { name: "number|id|label" }],
      run: async (invocation) => (await import("../../commands/auth/remove.ts")).authRemove(invocation),
    },
    {
      name: "reset",
      about: "Use credentials again that were paused after an error",
      args: [provider],
      run: async (invocation) => (await import("../../commands/auth/remove.ts")).authReset(invocation),
    },
    {
      name: "status",
      about: "Show the state of one provider",
      args: [provider],
      run: async (invocation) => (await import("../../commands/auth/status.ts")).authStatus(invocation),
    },
    {
      name: "logout",
      about: "Log out of a provider and forget its credentials",
      args: [provider],
      run: async (invocation) => (await import("../../commands/auth/logout.ts")).authLogout(invocation),
    },
    {
      name: "accept",
      about: "Agree that requests name the client a provider was made for",
      args: [provider],
      flags: [yesFlag, { name: "withdraw", kind: "switch", about: "Withdraw the agreement" }],
      run: async (invocation) => (await import("../../commands/auth/accept.ts")).authAccept(invocation),
    },
    {
      name: "spotify",
      about: "Log in to Spotify, for the Spotify tools",
      flags: [
        { name: "client-id", kind: "text", value: "<id>", about: "Client ID of your Spotify app" },
        { name: "status", kind: "switch", about: "Only show who is logged in" },
        { name: "logout", kind: "switch", about: "Forget the login" },
        { name: "no-browser", kind: "switch", about: "Show the address instead of opening a browser" },
        { name: "timeout", kind: "text", value: "<seconds>", about: "How long to wait for the login" },
      ],
      run: async (invocation) => (await import("../../commands/auth/spotify.ts")).authSpotify(invocation),
    },
    {
      name: "explain",
      about: "Explain which credential would be used now, and why",
      args: [{ ...provider, isOptional: true }],
      run: async (invocation) => (await import("../../commands/auth/explain.ts")).authExplain(invocation),
    },
  ],
};

export const logoutCommand: Command = {
  name: "logout",
  about: "Log out of the provider in use, or of another",
  flags: [{ name: "provider", kind: "text", value: "<id>", about: "Whose login", completes: "provider" }],
  run: async (invocation) => (await import("../../commands/auth/logout.ts")).logout(invocation),
};

export const loginCommand: Command = {
  name: "login",
  about: "Moved: see hermes auth add",
  isHidden: true,
  args: [{ name: "provider", isOptional: true }],
  run: async (invocation) => (await import("../../commands/auth/logout.ts")).loginPointer(invocation),
};
